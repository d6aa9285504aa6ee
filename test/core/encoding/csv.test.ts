import Papa from "papaparse";
import { expect, test } from "vitest";

import { csvRow, FORMULA_START } from "../../../src/core/encoding/csv.ts";

const TEXTS = [
  "",
  "plain",
  "a,b",
  'say "hi"',
  "a\nb",
  "a\r\nb",
  " x",
  "x ",
  "é 🦊",
  "'",
  "a=1",
  "=1",
  "=1\n",
  "+1",
  "-1",
  "@x",
  "\t=1",
  "\r=1",
  "\n=1",
  '"',
  ",",
];

test("a row is what the CSV library writes and reads", () => {
  for (const text of TEXTS) {
    const row = csvRow([1, text, null, true]);
    const options = { escapeFormulae: FORMULA_START, newline: "\r\n" };
    expect(row).toBe(`${Papa.unparse([[1, text, null, true]], options)}\r\n`);
    const cell = FORMULA_START.test(text) ? `'${text}` : text;
    expect(Papa.parse<string[]>(row, { newline: "\r\n" }).data[0]).toEqual(["1", cell, "", "true"]);
  }
});

test("objects and lists are JSON", () => {
  expect(csvRow([{ a: 1 }, ["b"], undefined])).toBe('"{""a"":1}","[""b""]",\r\n');
});
