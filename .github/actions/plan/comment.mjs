/** Writes the plan into the pull request's comment, or makes that: `comment.mjs FILE PLAN ERRORS`. */
import { readFileSync } from "node:fs";

const PAGE = 100;
const ERRORS_MAX_CHARS = 10_000;
const ADVICE = { 403: ": the job needs the permission pull-requests: write" };

const [file = "", planFile = "", errorsFile = ""] = process.argv.slice(2);
const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_EVENT_PATH, GITHUB_TOKEN } = process.env;
const { number } = JSON.parse(readFileSync(GITHUB_EVENT_PATH, "utf8")).pull_request;
const comments = `/repos/${GITHUB_REPOSITORY}/issues/${number}/comments`;

// Not shown. A comment for each file.
const marker = `<!-- hoplink plan ${encodeURIComponent(file)} -->`;

const body = `${marker}\n${readFileSync(planFile, "utf8") || failure(readFileSync(errorsFile, "utf8"))}`;
try {
  const own = await ownComment();
  if (own) await send("PATCH", `/repos/${GITHUB_REPOSITORY}/issues/comments/${own.id}`, { body });
  else await send("POST", comments, { body });
} catch (error) {
  // As GitHub shows it beside the pull request.
  console.error(`::error::${error.message}`);
  process.exitCode = 1;
}

/** Others may write the marker as well: only a bot's comment is changed. */
async function ownComment() {
  for (let page = 1; ; page++) {
    const some = await send("GET", `${comments}?per_page=${PAGE}&page=${page}`);
    const found = some.find((comment) => comment.user?.type === "Bot" && comment.body?.startsWith(marker));
    if (found || some.length < PAGE) return found;
  }
}

/** In a block of code, which nothing within can end. */
function failure(errors) {
  const text = errors.slice(0, ERRORS_MAX_CHARS);
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `### Links: there is no plan\n\n${fence}text\n${text.trimEnd()}\n${fence}\n`;
}

async function send(method, path, content) {
  const response = await fetch(GITHUB_API_URL + path, {
    method,
    headers: {
      Accept: "application/vnd.github+json",
      Authorization: `Bearer ${GITHUB_TOKEN}`,
      "Content-Type": "application/json",
      "X-GitHub-Api-Version": "2022-11-28",
    },
    ...(content && { body: JSON.stringify(content) }),
  });
  if (response.ok) return response.json();
  throw new Error(`GitHub answered ${response.status} to ${method} ${path}${ADVICE[response.status] ?? ""}`);
}
