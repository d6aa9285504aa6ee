/** The AsyncAPI document describes the events that the stream sends. `test/compat` checks that it is valid. */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { describe, expect, test } from "vitest";

import { asyncApiDocument } from "../../../src/api/asyncapi/asyncapi.ts";
import { openApiDocument } from "../../../src/api/openapi/openapi.ts";
import { v1Routes } from "../../../src/api/urls.ts";
import { ClickEvent, StreamQuery } from "../../../src/core/contract/streams.ts";
import { clickFrame, gapFrame, loggedEvent, readyFrame } from "../../../src/core/streams/event-log.ts";
import { newAjv } from "../../support/json-schemas.ts";

const AT = Date.parse("2026-11-21T09:10:00.000Z");
const CURSOR = { position: 2, at: AT };
const LOG = "acc_1-live";

const openApi = openApiDocument(v1Routes);
const document = asyncApiDocument(openApi);
const CLICK = ClickEvent.parse(document.components.messages["click"]?.examples[0]?.payload);

test("every reference resolves", () => {
  const found = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = ""]) => path);
  expect(found.length).toBeGreaterThan(10);
  const at = (path: string) =>
    path.split("/").reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
  expect(found.filter((path) => at(path) === undefined)).toEqual([]);
});

test("has the operation, the parameters, the click and the key of the OpenAPI document", () => {
  const operation = document.operations["streamEvents"];
  const described = openApi.paths["/v1/events/stream"]?.get;
  expect(operation).toMatchObject({ action: "send", summary: described?.summary, description: described?.description });
  expect(Object.keys(operation?.bindings.http.query.properties ?? {})).toEqual(Object.keys(StreamQuery.shape));
  expect(document.components.schemas["ClickEvent"]).toEqual(openApi.components.schemas["ClickEvent"]);
  expect(document.components.securitySchemes).toEqual(openApi.components.securitySchemes);
});

describe.each([
  ["ready", readyFrame(LOG, CURSOR)],
  ["click", clickFrame(LOG, loggedEvent(AT, true, CLICK, "api"), 3)],
  ["gap", gapFrame(LOG, AT, { position: 9, at: AT + 1 })],
])("the event %s of the stream", (kind, frame) => {
  const message = document.components.messages[kind];
  // The payload's schema refers to others in the document.
  const fits = (schema: object, value: unknown) =>
    newAjv().validate({ ...schema, components: document.components }, value);

  test("is as the document describes it", () => {
    const [event] = eventsOf(frame);
    expect(fits(message?.headers ?? {}, { event: event?.event, id: event?.id })).toBe(true);
    expect(fits(message?.payload ?? {}, JSON.parse(event?.data ?? ""))).toBe(true);
    expect(fits(message?.headers ?? {}, { event: "other", id: event?.id })).toBe(false);
    expect(fits(message?.payload ?? {}, [])).toBe(false);
  });

  test("has an example that fits its schema", () => {
    const [example] = message?.examples ?? [];
    expect(fits(message?.headers ?? {}, example?.headers)).toBe(true);
    expect(fits(message?.payload ?? {}, example?.payload)).toBe(true);
  });
});

function eventsOf(frames: string): EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  createParser({ onEvent: (event) => events.push(event) }).feed(frames);
  return events;
}
