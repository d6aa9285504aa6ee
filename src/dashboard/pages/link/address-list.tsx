/** The short URLs of a link that has aliases, each with a copy button and its clicks. */
import { Group, Paper, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import type { Link } from "../../../core/contract/links.ts";
import type { Stats } from "../../../core/contract/stats.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { CopyIconButton } from "../../components/copy-buttons.tsx";
import { Hint } from "../../components/hint.tsx";
import { linkName } from "../../formatting/hosts.ts";
import { linkHeaderTexts as texts } from "../../texts/link.ts";
import classes from "./link-header.module.css";

export function AddressList({ link }: { link: Link }) {
  const { api, mode } = useApi();
  const { aliases = [], id } = link;
  const { data } = useQuery({
    // Fetched again with the statistics of the link.
    queryKey: [mode, "stats", id, "addresses"],
    queryFn: () => unwrap<Stats>(api.links[":id"].stats.$get({ param: { id }, query: { group_by: "address" } })),
    enabled: aliases.length > 0,
  });
  if (aliases.length === 0) return null;
  const clicksOf = ({ short_url }: { short_url: string }) =>
    data?.buckets.find(({ key }) => short_url.endsWith(`//${key}`))?.clicks ?? 0;
  return (
    <Paper withBorder p="xs" component="ul" m={0} aria-label={texts.addresses} className={classes.addresses ?? ""}>
      {[link, ...aliases].map((each) => (
        <Group key={each.short_url} component="li" gap="xs" wrap="nowrap">
          <Text span size="sm" className={classes.destination}>
            {linkName(each)}
          </Text>
          <CopyIconButton value={each.short_url} label={linkName(each)} />
          {data && <Hint span>{texts.clicks(clicksOf(each))}</Hint>}
        </Group>
      ))}
    </Paper>
  );
}
