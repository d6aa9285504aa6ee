/**
 * Which `query` conditions of a link hold for a visit, as clicks store it: no other part of a query is kept. The
 * conditions are counted in the order of the rules, that of a rule before the one in its `not`; bit i of a hexadecimal
 * number stands for the i-th. Pure.
 */
import type { Visitor } from "../visitors/visitor.ts";
import { compiledRouting, type QueryCondition, type RoutableLink, type RoutingRule } from "./routing.ts";

const BITS_OF_DIGIT = 4;

/** @returns "" when none holds, and for a link without such conditions */
export function metQueryConditions({ routing }: RoutableLink, visitor: Visitor): string {
  if (routing.length === 0) return "";
  const { queryTests } = compiledRouting(routing);
  return queryTests.length === 0 ? "" : bitsOf(queryTests.map((holds) => holds(visitor)));
}

/** In the order in which they are counted. */
export function queryConditions(routing: readonly RoutingRule[]): readonly QueryCondition[] {
  return compiledRouting(routing).queryConditions;
}

/** @param bits  of a click, by `metQueryConditions` @param index  of the condition */
export function wasMet(bits: string, index: number): boolean {
  const digit = bits.charAt(bits.length - 1 - Math.floor(index / BITS_OF_DIGIT)) || "0";
  return (Number.parseInt(digit, 16) & (1 << (index % BITS_OF_DIGIT))) !== 0;
}

function bitsOf(held: readonly boolean[]): string {
  let digits = "";
  for (let i = 0; i < held.length; i += BITS_OF_DIGIT) {
    const digit = held.slice(i, i + BITS_OF_DIGIT).reduce((sum, isMet, bit) => sum + (isMet ? 1 << bit : 0), 0);
    digits = digit.toString(16) + digits;
  }
  return digits.replace(/^0+/, "");
}
