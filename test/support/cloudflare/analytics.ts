/**
 * The GraphQL analytics in the stand-in for Cloudflare's API, with only the datasets, filters and fields listed here.
 * They lag: a range is empty on its first request.
 */
import { Buffer } from "node:buffer";

import type { ApiRequest } from "./api-request.ts";
import type { Account } from "./account.ts";
import type { Routes } from "./api-server.ts";
import type { Edge } from "./edge.ts";
import { objectNamespace } from "./scripts.ts";

interface Query {
  query?: unknown;
  variables?: Record<string, unknown>;
}

const DATASET = /(\w+)\(\s*limit: \d+,\s*filter: \{([^}]*)\}\s*\) \{((?:[^{}]|\{[^{}]*\})*)\}/g;
const RANGE = ["datetime_geq", "datetime_leq"];
const DATASETS: Record<string, { filters: string[]; fields: RegExp }> = {
  workersInvocationsAdaptive: {
    filters: ["scriptName", ...RANGE],
    fields: /\b(sum|quantiles|requests|errors|cpuTimeP50|cpuTimeP99)\b/g,
  },
  durableObjectsPeriodicGroups: { filters: ["namespaceId", ...RANGE], fields: /\b(sum|rowsWritten)\b/g },
  durableObjectsInvocationsAdaptiveGroups: { filters: ["namespaceId", ...RANGE], fields: /\b(sum|requests)\b/g },
};
const CPU_TIMES = { cpuTimeP50: 800, cpuTimeP99: 4_200 };
/** Rows written by objects of links, and requests to them, which nothing counts here. */
const OBJECTS = { rowsWritten: 8, requests: 9 };

/** Errors have the status 200 as well. */
export function analyticsRoutes(account: Account, edge: Edge): Routes {
  const asked = new Set<string>();
  const answer = (request: ApiRequest) => {
    const { query, variables = {} } = request.json<Query>();
    const problem = problemOf(account, query, variables);
    if (problem !== null) return { data: null, errors: [{ message: problem, path: null }] };
    const script = [...account.scripts.values()].find(({ name }) => name === variables.script);
    const isKnown = asked.has(String(variables.from));
    asked.add(String(variables.from));
    const found = <T>(rows: T) => (script && isKnown ? [rows] : []);
    const isNamespace = script && objectNamespace(script, "LinkClicks") === variables.namespace;
    const usage = {
      workersInvocationsAdaptive: found({ sum: { requests: edge.requests.length, errors: 0 }, quantiles: CPU_TIMES }),
      durableObjectsPeriodicGroups: isNamespace ? found({ sum: OBJECTS }) : [],
      durableObjectsInvocationsAdaptiveGroups: isNamespace ? found({ sum: OBJECTS }) : [],
    };
    return { data: { viewer: { accounts: [usage] } }, errors: null };
  };
  return { "POST /graphql": (request) => Buffer.from(JSON.stringify(answer(request))) };
}

/** @returns the API's error for a query that it does not run */
function problemOf(account: Account, query: unknown, variables: Record<string, unknown>): string | null {
  if (typeof query !== "string") return "query is required";
  const declared = [...query.matchAll(/\$(\w+): string!/g)].map(([, name = ""]) => name);
  const missing = declared.find((name) => typeof variables[name] !== "string");
  if (missing !== undefined) return `variable ${missing} is required`;
  if (variables.account !== account.id) return "not authorized for that account";
  const datasets = [...query.matchAll(DATASET)];
  if (datasets.length !== Object.keys(DATASETS).length) return "syntax error";
  for (const [, name = "", filter = "", selection = ""] of datasets) {
    const dataset = DATASETS[name];
    const unknown = [...filter.matchAll(/(\w+):/g)].find(([, key = ""]) => !dataset?.filters.includes(key));
    if (!dataset || unknown) return `unknown field ${unknown?.[1] ?? name}`;
    const rest = selection.replaceAll(dataset.fields, "").replaceAll(/[{}\s]/g, "");
    if (rest !== "") return `unknown field ${rest}`;
  }
  return null;
}
