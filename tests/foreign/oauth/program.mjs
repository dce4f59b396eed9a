// The frame of the programs in JavaScript: print the authorize URL, read the callback URL, print the outcome as JSON.
import { createInterface } from "node:readline/promises";

export const settings = {
  issuer: process.env.SWITCHBOARD,
  clientId: process.env.APP_CLIENT_ID,
  clientSecret: process.env.APP_CLIENT_SECRET,
  redirectUri: process.env.REDIRECT_URI,
  method: process.env.AUTH_METHOD,
  scope: "messages.send conversations.read",
};

/** Sends the member to the authorize URL. Returns the URL at which the member comes back. */
export async function visit(url) {
  console.log(String(url));
  const { value } = await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next();
  return new URL(value);
}

/** Prints what `connect` returns, or the error that it throws as `refusal` describes it. */
export async function report(connect, refusal) {
  let outcome;
  try {
    outcome = await connect();
  } catch (error) {
    outcome = { refused: refusal(error) ?? { error: String(error), description: null } };
  }
  console.log(JSON.stringify(outcome));
  process.exit();
}
