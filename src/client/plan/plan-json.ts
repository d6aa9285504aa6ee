/** A plan for programs: `hoplink plan --json`. Pure. */
import { addressText } from "./addresses.ts";
import type { BacktestOutcome, Plan } from "./plan.ts";

export function planJson({ create, change, missing, prunes, unchanged, problems }: Plan) {
  const absent = missing.map(({ id, revision, ...link }) => ({ address: addressText(link), id, revision }));
  return {
    create: create.map(({ address, link }) => ({ address: addressText(address), link })),
    change: change.map(({ address, current: { id, revision }, members, backtest }) => ({
      address: addressText(address),
      id,
      revision,
      members: Object.fromEntries(members.map(({ member, before, after }) => [member, { before, after }])),
      ...(backtest && { backtest: backtestJson(backtest) }),
    })),
    delete: prunes ? absent : [],
    not_in_file: prunes ? [] : absent,
    unchanged,
    problems: problems.map(({ line, address, message }) => ({
      line,
      address: address && addressText(address),
      message,
    })),
  };
}

function backtestJson(backtest: BacktestOutcome) {
  return "notTried" in backtest ? { not_tried: backtest.notTried } : backtest;
}
