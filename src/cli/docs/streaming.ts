/** The page on consuming the live stream: what comes, and clients that can be copied, for a terminal and three runtimes. */
import { html, type Part } from "./html.ts";
import { page } from "./pages.ts";

const CURL = `curl -N "$BASE/v1/events/stream" -H "Authorization: Bearer $KEY"`;

const WIRE = `retry: 2000
: welcome

id: acc_01kajm2t4g8q5v7w9x3y6z1a2b-live-1-mwqe8564

id: acc_01kajm2t4g8q5v7w9x3y6z1a2b-live-2-mwqe856c
event: click
data: {"id":"evt_01kajm2t4g8q5v7w9x3y6z1a2b00000001","type":"click","occurred_at":"2026-11-21T09:10:00.000Z", … }

: heartbeat`;

const NODE = `import { EventSource } from "eventsource";

const source = new EventSource(\`\${BASE}/v1/events/stream\`, {
  fetch: (url, init) =>
    fetch(url, { ...init, headers: { ...init.headers, Authorization: \`Bearer \${KEY}\` } }),
});
source.addEventListener("click", ({ data, lastEventId }) => {
  const click = JSON.parse(data);
  console.log(click.occurred_at, click.short_url, click.country, click.rule);
  // Keep lastEventId with what you make of the click: after a restart go on with ?since=<it>.
});
source.addEventListener("gap", ({ data }) => console.log("fetch what happened between", JSON.parse(data)));`;

const BROWSER = `import { EventSourceParserStream } from "eventsource-parser/stream";

let last = localStorage.getItem("last");
for (;;) {
  try {
    const response = await fetch(\`\${BASE}/v1/events/stream\`, {
      headers: { Authorization: \`Bearer \${KEY}\`, ...(last ? { "Last-Event-ID": last } : {}) },
    });
    if (response.status >= 400 && response.status < 500) throw new TypeError(await response.text());
    const events = response.body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream());
    for await (const { event, id, data } of events) {
      if (event === "click") show(JSON.parse(data));
      localStorage.setItem("last", (last = id ?? last));
    }
  } catch (error) {
    if (error instanceof TypeError && error.message.startsWith("{")) throw error;
  }
  await new Promise((done) => setTimeout(done, 2000));
}`;

const PYTHON = `import json, time, urllib.error, urllib.request

last = None
while True:
    headers = {"Authorization": f"Bearer {KEY}"}
    if last:
        headers["Last-Event-ID"] = last
    try:
        request = urllib.request.Request(f"{BASE}/v1/events/stream", headers=headers)
        with urllib.request.urlopen(request, timeout=45) as lines:
            kind, data = None, None
            for line in lines:
                name, _, value = line.decode().rstrip("\\n").partition(": ")
                if name == "id":
                    last = value
                elif name == "event":
                    kind = value
                elif name == "data":
                    data = value
                elif not name and data:
                    if kind == "click":
                        print(json.loads(data))
                    kind, data = None, None
    except urllib.error.HTTPError as error:
        if error.code not in (429, 503):
            raise
    except OSError:
        pass
    time.sleep(2)`;

export function streamingPage(): string {
  const main = html`
    <h1>Streaming clicks</h1>
    <p>
      <a href="/docs#streamEvents"><code>GET /v1/events/stream</code></a> sends each click on the links that you made by
      the API as it happens, by server-sent events. There is nothing to register and nothing that calls you: you hold a
      connection open. <code>?link_id=</code> asks for one link, <code>?include_bots=true</code> adds bots and
      prefetches.
    </p>
    <h2 id="look">Look at it</h2>
    ${code(CURL)} ${code(WIRE)}
    <p>
      The <code>data</code> of a <code>click</code> is one line of JSON, the object
      <a href="/docs#schema-ClickEvent">ClickEvent</a>. Its words are the keys of the statistics, so events added up are
      the buckets. Ignore kinds of events that you do not know: there may be more.
    </p>
    <h2 id="exactly-once">Missing nothing, counting nothing twice</h2>
    <p>
      Connections break, and ours do at every deployment. The <code>id</code> lines are cursors: reconnect with the last
      one you have seen, as <code>Last-Event-ID</code> or <code>?since=</code>, and you get every event since, once, in
      the order of each link. The first cursor comes before the first event. A cursor is good for the stream that sent
      it alone; another answers 422. If you may have handled an event without keeping its cursor, know it again by the
      <code>id</code> in its data, which never changes.
    </p>
    <p>
      Of one link every click is kept. Of a whole account events are kept for a day, at most 100,000, from when somebody
      first listened. A cursor older than that gets an event <code>gap</code> whose data has the times
      <code>from</code> and <code>to</code>: read the clicks between them from
      <a href="/docs#listClicks">the click log</a> of your links. What is kept follows.
    </p>
    <h2 id="limits">Limits</h2>
    <p>
      A key may have 5 streams open on the Free plan and 20 on Premium, then
      <a href="/docs/errors#too_many_streams"><code>too_many_streams</code></a
      >. A comment comes every 15 seconds: hear nothing for 45 and you may take the connection for broken. A client that
      breaks off silently holds its place until the second comment. One that reads too slowly is cut off, and catches up
      when it comes back. A revoked key's streams end within ten seconds, a deleted link's at once.
    </p>
    <h2 id="node">Node</h2>
    <p>With the package <code>eventsource</code>, which reconnects by itself. Its <code>fetch</code> adds the key.</p>
    ${code(NODE)}
    <h2 id="browser">A browser</h2>
    <p>
      The browser's own <code>EventSource</code> cannot send a key, so use <code>fetch</code> and the package
      <code>eventsource-parser</code>. A key in a page is everybody's who can open the page: only on internal ones, and
      with the scope <code>events:read</code> alone.
    </p>
    ${code(BROWSER)}
    <h2 id="python">Python</h2>
    <p>With the standard library alone.</p>
    ${code(PYTHON)}
  `;
  return page("Streaming · Hoplink API", "/docs/streaming", null, main);
}

function code(text: string): Part {
  return html`<pre><code>${text}</code></pre>`;
}
