-- Requests the URL with the key's credentials. Used by `cargo xtask bench`.

dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "summary.lua")

wrk.headers["x-client-id"] = os.getenv("SWITCHBOARD_BENCH_CLIENT_ID")
wrk.headers["x-client-secret"] = os.getenv("SWITCHBOARD_BENCH_CLIENT_SECRET")
