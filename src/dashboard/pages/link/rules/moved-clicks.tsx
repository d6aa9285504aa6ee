/** Some clicks that would have gone elsewhere: when and who, where they went, and where they would have gone. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";

import type { Backtest } from "../../../../core/contract/backtests.ts";
import type { Click, ClickPage } from "../../../../core/contract/clicks.ts";
import { unwrap, useApi } from "../../../api/client.ts";
import { formatIn } from "../../../formatting/dates.ts";
import { readableUrl } from "../../../formatting/hosts.ts";
import { backtestTexts as texts } from "../../../texts/backtest.ts";
import { countryName } from "../place-names.ts";
import { deviceName } from "../visitor-names.ts";
import classes from "./rules.module.css";

const SHOWN = 5;

type Sample = Backtest["samples"][number];

export function MovedClicks({ linkId, samples }: { linkId: string; samples: readonly Sample[] }) {
  const titleId = useId();
  // From all over the range, as the samples are.
  const every = Math.ceil(samples.length / SHOWN);
  return (
    <div>
      <Text size="sm" c="dimmed" mb={4} id={titleId}>
        {texts.samples}
      </Text>
      <ul className={classes.steps} aria-labelledby={titleId}>
        {samples
          .filter((_, index) => index % every === 0)
          .map((sample) => (
            <MovedClick key={sample.seq} linkId={linkId} sample={sample} />
          ))}
      </ul>
    </div>
  );
}

function MovedClick({ linkId, sample: { seq, before, after } }: { linkId: string; sample: Sample }) {
  const click = useClick(linkId, seq);
  return (
    <li className={classes.step}>
      <Text size="sm">{click ? clickText(click) : "…"}</Text>
      <Text size="sm" c="dimmed" className={classes.outcome} title={before}>
        {texts.went} {readableUrl(before)}
      </Text>
      <Text size="sm" className={classes.outcome} title={after}>
        {texts.wouldGo} {readableUrl(after)}
      </Text>
    </li>
  );
}

function clickText({ occurred_at, country, device }: Click): string {
  return [formatIn("dateTimeToMinute", occurred_at), countryName(country), deviceName(device)].join(" · ");
}

/** Undefined until it is there: the change is worth showing without it. */
function useClick(linkId: string, seq: number): Click | undefined {
  const { api, mode } = useApi();
  const { data } = useQuery({
    queryKey: [mode, "click", linkId, seq],
    queryFn: () =>
      unwrap<ClickPage>(
        api.links[":id"].clicks.$get({ param: { id: linkId }, query: { after: String(seq - 1), limit: "1" } }),
      ),
    staleTime: Infinity,
  });
  return data?.data[0];
}
