/** What the file is, what does not come along, where its links go, and how they are imported. */
import { Alert, Checkbox, List, Paper, Select, Stack, Text, Title } from "@mantine/core";

import type { ImportOptions } from "../../../core/imports/plan-import.ts";
import { readableHost } from "../../formatting/hosts.ts";
import { formatCount } from "../../formatting/numbers.ts";
import { importTexts as texts } from "../../texts/import.ts";
import type { FileSummary } from "./import-messages.ts";

/** More would be a form that nobody fills in. */
const DOMAINS_SHOWN = 10;

interface SettingsFormProps {
  summary: FileSummary;
  settings: ImportSettings;
  onChange: (change: Partial<ImportSettings>) => void;
  /** Short domains that links can be created on, the service's own first. */
  domains: readonly string[];
  isPremium: boolean;
}

export function SettingsForm({ summary, settings, onChange, domains, isPremium }: SettingsFormProps) {
  const { withRules, withPassword } = summary;
  return (
    <Paper component="section" withBorder p="md" aria-label={texts.settings}>
      <Stack>
        <Losses summary={summary} />
        <DomainChoices summary={summary} settings={settings} onChange={onChange} domains={domains} />
        <Title order={2} size="h5">
          {texts.settings}
        </Title>
        <Checkbox
          label={texts.forwardQuery}
          description={texts.forwardQueryHint}
          checked={settings.forwardQuery}
          onChange={(event) => onChange({ forwardQuery: event.currentTarget.checked })}
        />
        {withRules > 0 && (
          <Checkbox
            label={texts.withoutRules(formatCount(withRules))}
            description={isPremium ? undefined : texts.withoutRulesHint}
            checked={settings.withoutRules}
            onChange={(event) => onChange({ withoutRules: event.currentTarget.checked })}
          />
        )}
        {withPassword > 0 && (
          <Checkbox
            label={texts.withoutPasswords(formatCount(withPassword))}
            description={texts.withoutPasswordsHint}
            checked={settings.withoutPasswords}
            onChange={(event) => onChange({ withoutPasswords: event.currentTarget.checked })}
          />
        )}
        <Checkbox
          label={texts.update}
          description={texts.updateHint}
          checked={settings.update}
          onChange={(event) => onChange({ update: event.currentTarget.checked })}
        />
      </Stack>
    </Paper>
  );
}

function Losses({ summary: { lost, unread, encoding } }: { summary: FileSummary }) {
  const losses = Object.entries(lost);
  return (
    <>
      {encoding !== "utf-8" && <Alert color="orange">{texts.encoding}</Alert>}
      {(losses.length > 0 || unread.length > 0) && (
        <Alert color="gray" title={texts.lost}>
          <List size="sm">
            {losses.map(([name, count]) => (
              <List.Item key={name}>{texts.lostItem(name, formatCount(count))}</List.Item>
            ))}
            {unread.length > 0 && <List.Item>{texts.unread(unread.join(", "))}</List.Item>}
          </List>
        </Alert>
      )}
    </>
  );
}

function DomainChoices({
  summary,
  settings,
  onChange,
  domains,
}: Pick<SettingsFormProps, "summary" | "settings" | "onChange" | "domains">) {
  const data = domains.map((domain) => ({ value: domain, label: readableHost(domain) }));
  const hidden = summary.domains.length - DOMAINS_SHOWN;
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {texts.domains}
      </Title>
      {summary.domains.slice(0, DOMAINS_SHOWN).map(({ name, links }) => {
        const chosen = settings.domains[name] ?? ownDomain(name, domains);
        return (
          <Select
            key={name}
            label={texts.domainFor(readableHost(name), links, formatCount(links))}
            placeholder={texts.chooseDomain}
            error={chosen === null && texts.notYours}
            data={data}
            value={chosen}
            onChange={(domain) => domain !== null && onChange({ domains: { ...settings.domains, [name]: domain } })}
            allowDeselect={false}
          />
        );
      })}
      {hidden > 0 && (
        <Text size="sm" c="dimmed">
          {texts.moreDomains(hidden)}
        </Text>
      )}
    </Stack>
  );
}

/** The same domain, where links can be created on it; the service's own for links that name none. */
function ownDomain(name: string, domains: readonly string[]): string | null {
  if (name === "") return domains[0] ?? null;
  return domains.find((domain) => domain === name) ?? null;
}

/** The settings of an import as the form has them. */
interface ImportSettings {
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
