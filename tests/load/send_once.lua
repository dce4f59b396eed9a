-- Posts each message in the lines of the file SWITCHBOARD_BENCH_BODIES once. Used by `cargo xtask bench`.

dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "token.lua")

wrk.headers["x-client-id"] = os.getenv("SWITCHBOARD_BENCH_CLIENT_ID")
wrk.headers["x-client-secret"] = os.getenv("SWITCHBOARD_BENCH_CLIENT_SECRET")
