import Papa from "papaparse";
import { expect, test } from "vitest";

import { csvRow, disarmFormulas } from "../../../src/core/encoding/csv.ts";

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

test("a row equals what the CSV library writes, and reads back", () => {
  for (const text of TEXTS) {
    const row = csvRow([1, text, null, true]);
    const cell = disarmFormulas(text);
    const quotes = cell === text ? false : [false, true];
    expect(row).toBe(`${Papa.unparse([[1, cell, null, true]], { quotes, newline: "\r\n" })}\r\n`);
    expect(Papa.parse<string[]>(row, { newline: "\r\n" }).data[0]).toEqual(["1", cell, "", "true"]);
  }
});

test.each([
  ["=1", "'=1"],
  ["-1", "'-1"],
  ["\t1", "'\t1"],
  ["\n=1", "'\n'=1"],
  ["a=1", "a=1"],
  ["x;=cmd", "x;'=cmd"],
  ["x;y;+1;@a", "x;y;'+1;'@a"],
  ['x;"=cmd"', `x;"'=cmd"`],
  ["x;\t=cmd", "x;\t'=cmd"],
  ["x\t=cmd", "x\t'=cmd"],
  ["x; =cmd", "x; '=cmd"],
  [" =1", " '=1"],
  ["a =1", "a =1"],
  ["x\r\n=cmd", "x\r\n'=cmd"],
  ["＝1", "'＝1"],
  ["a;＋1;－1;＠x", "a;'＋1;'－1;'＠x"],
  ["a, -5 %", "a, -5 %"],
])("%j is neutralized to %j", (text, disarmed) => {
  expect(disarmFormulas(text)).toBe(disarmed);
});

test("objects and lists are JSON", () => {
  expect(csvRow([{ a: 1 }, ["b"], undefined])).toBe('"{""a"":1}","[""b""]",\r\n');
});
