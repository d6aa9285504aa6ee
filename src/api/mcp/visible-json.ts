/**
 * JSON in which nothing is invisible: a model reads characters that people are not shown. A visitor can hide a sentence in
 * the tags of Unicode, as a UTM value, and whoever watches the agent would see an empty place. Pure.
 */

/** Tags, selectors of variants, marks of direction, what has no width. All of them stand inside of strings. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** The same value: the characters are written as escapes. */
export function visibleJson(value: object): string {
  return JSON.stringify(value).replace(INVISIBLE, (character) => character.split("").map(escapeOf).join(""));
}

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
