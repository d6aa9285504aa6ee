/** The settings of an import as the form has them, and as the plan takes them. Pure. */
import type { ImportOptions } from "../../../core/imports/plan-import.ts";

export interface ImportSettings {
  /** Chosen short domains by those of the file; what is not chosen goes to its own, if it is the account's. */
  domains: Readonly<Record<string, string>>;
  withoutRules: boolean;
  withoutPasswords: boolean;
  forwardQuery: boolean;
  update: boolean;
}

export const DEFAULT_SETTINGS: ImportSettings = {
  domains: {},
  withoutRules: false,
  withoutPasswords: false,
  forwardQuery: false,
  update: false,
};

export function toOptions({ domains, ...settings }: ImportSettings): ImportOptions {
  return { ...settings, domain: null, domains: new Map(Object.entries(domains)) };
}
