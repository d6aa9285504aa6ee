/** Which of several links a name refers to. */
import { afterAll, expect, test } from "vitest";

import { Io } from "../../../src/client/cli/io.ts";
import { findLink, linkIdOf } from "../../../src/client/cli/session.ts";
import { scriptedClient } from "../../support/scripted-client.ts";
import { json } from "../../support/scripted-server.ts";
import { currentLink } from "../plan/sample-links.ts";

const { server, hoplink } = await scriptedClient();

afterAll(() => server.stop());

const io = new Io(process, new AbortController().signal);
const session = { io, connection: { url: server.base, key: "svc_test_key", profile: null }, hoplink };

const own = currentLink("spring");
const ended = currentLink("spring", { id: "lnk_ended", domain_transferred: true });

const list = (...data: object[]) => json(200, { data, has_more: false, next_cursor: null });

test("a link that has ended with a former tenure of its domain does not shadow the current one", async () => {
  server.willReply(list(own, ended));
  expect(await linkIdOf(session, own.short_url)).toBe(own.id);
});

test("a link that has ended is found where no other link is", async () => {
  server.willReply(list(ended), json(200, ended));
  expect((await findLink(session, "spring")).link).toMatchObject({ id: ended.id, domain_transferred: true });
});

test("links on two domains are distinguished by their short URLs", async () => {
  server.willReply(list(own, currentLink("spring", { id: "lnk_other", domain: "go.example.com" })));
  await expect(linkIdOf(session, "spring")).rejects.toThrow(
    "Several links have the slug spring: https://hop.example/spring, https://go.example.com/spring",
  );
});
