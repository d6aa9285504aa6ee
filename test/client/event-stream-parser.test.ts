/** The client's parser of server-sent events, against the rules of the HTML standard and with text cut anywhere. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { HoplinkError } from "../../src/client/errors.ts";
import { EventStreamParser, type ServerSentEvent } from "../../src/client/events.ts";

function parse(...pieces: string[]): ServerSentEvent[] {
  const parser = new EventStreamParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

const message = (data: string, id = "", type = "message") => ({ type, data, id });

describe("the standard's rules", () => {
  test.each<[what: string, text: string, events: ServerSentEvent[]]>([
    ["an event", "id: 1\nevent: click\ndata: {}\n\n", [message("{}", "1", "click")]],
    ["several lines of data", "data: a\ndata: b\ndata:\n\n", [message("a\nb\n")]],
    ["one space after the colon is removed, a second is kept", "data:a\n\ndata:  b\n\n", [message("a"), message(" b")]],
    ["comments", ": welcome\n\ndata: a\n: between\n\n", [message("a")]],
    ["unknown fields, and a line without a colon", "color: red\ndata\n\n", [message("")]],
    ["an event without data is ignored, but its id is kept", "id: 1\n\ndata: a\n\n", [message("a", "1")]],
    ["an id with a null is ignored", "id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n", [message("a", "1"), message("b", "1")]],
    ["an empty id clears the last one", "id: 1\nid:\ndata: a\n\n", [message("a")]],
    ["a type applies to one event only", "event: x\ndata: a\n\ndata: b\n\n", [message("a", "", "x"), message("b")]],
    ["an event without an end is not returned", "data: a\n\ndata: b\n", [message("a")]],
    ["all line endings", "data: a\r\rdata: b\r\n\r\ndata: c\n\n", [message("a"), message("b"), message("c")]],
  ])("%s", (_, text, events) => {
    expect(parse(text)).toEqual(events);
    expect(parse(...text)).toEqual(events);
  });

  test("retry consists of digits", () => {
    const parser = new EventStreamParser();
    parser.push("retry: 2000\n");
    parser.push("retry: soon\nretry: -1\nretry:\n\n");
    expect(parser.retryMs).toBe(2_000);
  });
});

test("a CRLF that is split between two pieces is one line ending, even with an empty piece in between", () => {
  expect(parse("data: a\r", "\ndata: b\r", "", "\n\r", "\n")).toEqual([message("a\nb")]);
});

test("property: events do not depend on where the text is cut", () => {
  const line = fc.constantFrom("data: ä", "data:", "id: 7", "event: e", ": c", "", "", "retry: 5", "x");
  const text = fc
    .array(fc.tuple(line, fc.constantFrom("\n", "\r", "\r\n")), { maxLength: 30 })
    .map((lines) => lines.flat().join(""));
  fc.assert(
    fc.property(text, fc.array(fc.nat(200), { maxLength: 10 }), (whole, cuts) => {
      const at = [0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length].sort((a, b) => a - b);
      const pieces = at.slice(1).map((end, i) => whole.slice(at[i], end));
      expect(parse(...pieces)).toEqual(parse(whole));
    }),
  );
});

test("endless input does not fill the memory, however it arrives", () => {
  const endless = (piece: string) => () => {
    const parser = new EventStreamParser();
    for (let i = 0; i < 2_000; i++) parser.push(piece);
  };
  expect(endless("x".repeat(1_000))).toThrow(HoplinkError);
  expect(endless(`data: ${"x".repeat(1_000)}\n`)).toThrow(HoplinkError);
  expect(endless(`: ${"heartbeat".repeat(100)}\n\n`)).not.toThrow();
});
