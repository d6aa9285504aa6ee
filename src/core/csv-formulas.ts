/**
 * What a spreadsheet would run as a formula in a cell of a CSV file, for papaparse's `escapeFormulae`, which puts an
 * apostrophe in front. Its own pattern overlooks formulas with a line break in them.
 */
export const FORMULA_START = /^[=+\-@\t\r\n]/;
