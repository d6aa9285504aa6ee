/** The file's format, the data that is not imported, the domains for its links, and the import options. */
import { Alert, Checkbox, List, Paper, Select, Stack, Title } from "@mantine/core";

import type { ImportOptions } from "../../../core/imports/plan-import.ts";
import { Hint } from "../../components/buttons.tsx";
import { readableHost } from "../../formatting/hosts.ts";
import { importTexts as texts } from "../../texts/import.ts";
import type { FileSummary } from "./import-worker.ts";

/** Maximum number of domains with a field each. No one would fill in a longer form. */
const DOMAINS_SHOWN = 10;

interface SettingsFormProps {
  summary: FileSummary;
  options: ImportOptions;
  onChange: (change: Partial<ImportOptions>) => void;
  /** Short domains on which links can be created, the service's own first. */
  domains: readonly string[];
  isPremium: boolean;
}

export function SettingsForm({ isPremium, ...props }: SettingsFormProps) {
  const { summary, options, onChange } = props;
  const choice = (
    name: "forwardQuery" | "handOver" | "withoutRules" | "withoutPasswords" | "update",
    label: string,
    hint = "",
  ) => (
    <Checkbox
      label={label}
      description={hint}
      checked={options[name] ?? false}
      onChange={(event) => onChange({ [name]: event.currentTarget.checked })}
    />
  );
  return (
    <Paper component="section" withBorder p="md" aria-label={texts.settings}>
      <Stack>
        <Losses {...summary} />
        <DomainChoices {...props} />
        <Title order={2} size="h5">
          {texts.settings}
        </Title>
        {choice("forwardQuery", texts.forwardQuery, texts.forwardQueryHint)}
        {summary.withRules > 0 &&
          choice("withoutRules", texts.withoutRules(summary.withRules), isPremium ? "" : texts.withoutRulesHint)}
        {summary.withPassword > 0 &&
          choice("withoutPasswords", texts.withoutPasswords(summary.withPassword), texts.withoutPasswordsHint)}
        {choice("update", texts.update, texts.updateHint)}
        {choice("handOver", texts.handOver, texts.handOverHint)}
      </Stack>
    </Paper>
  );
}

function Losses({ lost, unread, encoding }: FileSummary) {
  const items = Object.entries(lost).map(([name, count]) => texts.lostItem(name, count));
  if (unread.length > 0) items.push(texts.unread(unread.join(", ")));
  return (
    <>
      {encoding !== "utf-8" && <Alert color="orange">{texts.encoding}</Alert>}
      {items.length > 0 && (
        <Alert color="gray" title={texts.lost}>
          <List size="sm">
            {items.map((item) => (
              <List.Item key={item}>{item}</List.Item>
            ))}
          </List>
        </Alert>
      )}
    </>
  );
}

function DomainChoices({ summary, options, onChange, domains }: Omit<SettingsFormProps, "isPremium">) {
  const data = domains.map((domain) => ({ value: domain, label: readableHost(domain) }));
  const hidden = summary.domains.length - DOMAINS_SHOWN;
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {texts.domains}
      </Title>
      {summary.domains.slice(0, DOMAINS_SHOWN).map(({ name, links }) => {
        // Links stay on their domain by default; those without one go to the service's own.
        const chosen = options.domains.get(name) ?? domains.find((domain) => domain === (name || domains[0])) ?? null;
        return (
          <Select
            key={name}
            label={texts.domainFor(readableHost(name), links)}
            placeholder={texts.chooseDomain}
            error={chosen === null && texts.notYours}
            data={data}
            value={chosen}
            onChange={(domain) =>
              domain !== null && onChange({ domains: new Map([...options.domains, [name, domain]]) })
            }
          />
        );
      })}
      {hidden > 0 && <Hint>{texts.moreDomains(hidden)}</Hint>}
    </Stack>
  );
}
