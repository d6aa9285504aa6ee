/** All tools, in the order in which agents read them. */
import type { Scope } from "../../core/account.ts";
import { backtestChange } from "./backtest-tool.ts";
import { getAccountStats, getLinkStats, listClicks } from "./click-tools.ts";
import {
  createLink,
  deleteLink,
  findLinks,
  getAccount,
  getLink,
  listTags,
  tryVisitor,
  updateLink,
} from "./link-tools.ts";
import type { Tool } from "./tool.ts";

/** @internal */
export const TOOLS: readonly Tool[] = [
  findLinks,
  getLink,
  getLinkStats,
  getAccountStats,
  listClicks,
  listTags,
  tryVisitor,
  createLink,
  backtestChange,
  updateLink,
  deleteLink,
  getAccount,
];

export function visibleTools(scopes: readonly Scope[]): readonly Tool[] {
  return TOOLS.filter((tool) => tool.scopes.every((scope) => scopes.includes(scope)));
}
