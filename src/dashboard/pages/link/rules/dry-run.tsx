/** Dry run of the rules, saved or not: which one a simulated visit matches, and which conditions fail in the others. */
import { Alert, Badge, Group, SegmentedControl, Select, Stack, Text, TextInput } from "@mantine/core";
import { useForm, type UseFormReturnType } from "@mantine/form";

import type { Link } from "../../../../core/contract/links.ts";
import type { ResolveLink, Resolution } from "../../../../core/contract/resolutions.ts";
import type { Problem } from "../../../../core/errors.ts";
import { DEFAULT_RULE_KEY, type RoutingRule } from "../../../../core/links/routing.ts";
import { ApiError, errorMessage, hasCode } from "../../../api/api-error.ts";
import { unwrap, useApi } from "../../../api/client.ts";
import { useSingleMutation } from "../../../api/mutations.ts";
import { SubmitButton } from "../../../components/buttons.tsx";
import { TitledCard } from "../../../components/card.tsx";
import { FormDraft } from "../../../components/form.tsx";
import { useFormDraft } from "../../../components/use-draft.ts";
import { browserTimeZone, fromDatetimeLocal } from "../../../formatting/dates.ts";
import { visitorOptions } from "../visitor-names.ts";
import { readableUrl } from "../../../formatting/hosts.ts";
import { conditionTexts, dryRunTexts as texts } from "../../../texts/rules.ts";
import {
  COMMON_FIELDS,
  CONDITION_KEYS,
  OTHER_FIELDS,
  rankOptions,
  type SimulatedVisitorForm,
  toSimulatedVisitor,
  UNKNOWN_VISITOR,
} from "./condition-kinds.ts";
import { ruleKeyName } from "./rule-sentence.ts";
import classes from "./rules.module.css";

interface DryRunProps {
  link: Link;
  /** Unsaved rules to test instead of the link's; null if all are saved. */
  draft: RoutingRule[] | null;
  /** Called with the API's problems with the draft. */
  onProblems: (problems: readonly Problem[]) => void;
}

export function DryRun({ link, draft, onProblems }: DryRunProps) {
  const { api } = useApi();
  const form = useForm<SimulatedVisitorForm>({ initialValues: UNKNOWN_VISITOR });
  // A simulation saves nothing, so leaving it is no loss.
  const visit = useFormDraft(form, { form: `visit:${link.id}`, asks: false });
  const resolve = useSingleMutation({
    mutationFn: (json: ResolveLink) =>
      unwrap<Resolution>(api.links[":id"].resolve.$post({ param: { id: link.id }, json })),
    onSuccess: () => draft && onProblems([]),
    onError: (error) => {
      if (!(error instanceof ApiError)) return;
      form.setErrors(factErrors(error));
      const ofRules = error.problems.filter(isRuleProblem);
      if (ofRules.length > 0) onProblems(ofRules);
    },
  });
  const submit = (values: SimulatedVisitorForm) => {
    const visitor = toSimulatedVisitor({ ...values, at: fromDatetimeLocal(values.at, browserTimeZone()) });
    resolve.mutate(draft ? { ...visitor, routing: draft } : visitor);
  };
  return (
    <TitledCard title={texts.title} description={draft ? texts.hintDraft : texts.hint}>
      <form onSubmit={form.onSubmit(submit)}>
        <Stack gap="xs">
          <FormDraft draft={visit} />
          <FactInputs fields={COMMON_FIELDS} form={form} />
          <details open={visit.restoredAt !== null}>
            <summary className={classes.more}>{texts.more}</summary>
            <Stack gap="xs" mt="xs">
              <FactInputs fields={OTHER_FIELDS} form={form} />
              <TextInput
                type="datetime-local"
                label={texts.when}
                description={texts.whenHint(browserTimeZone())}
                max="9998-12-31T23:59"
                {...form.getInputProps("at")}
              />
              <SegmentedControl
                aria-label={texts.source}
                data={visitorOptions.source}
                {...form.getInputProps("source")}
              />
            </Stack>
          </details>
          <SubmitButton w="fit-content" loading={resolve.isPending}>
            {texts.submit}
          </SubmitButton>
        </Stack>
      </form>
      <div aria-live="polite">
        {resolve.error && <Alert color="red">{dryRunError(resolve.error)}</Alert>}
        {resolve.data && <DryRunResult resolution={resolve.data} />}
      </div>
    </TitledCard>
  );
}

function isRuleProblem({ path }: Problem): boolean {
  return path === "routing" || path.startsWith("routing.");
}

function factErrors(error: ApiError): Partial<Record<keyof SimulatedVisitorForm, string>> {
  const facts = error.problems.filter((problem) => !isRuleProblem(problem));
  return Object.fromEntries(facts.map(({ path }) => [path.split(".")[0], texts.wrongFact]));
}

function dryRunError(error: unknown): string {
  if (!hasCode(error, "validation_failed")) return errorMessage(error);
  return error.problems.some(isRuleProblem) ? texts.wrongRules : texts.wrongFacts;
}

interface FactInputsProps {
  fields: typeof COMMON_FIELDS;
  form: UseFormReturnType<SimulatedVisitorForm>;
}

function FactInputs({ fields, form }: FactInputsProps) {
  return fields.map(([name, { options, ...field }]) =>
    options ? (
      <Select
        {...field}
        key={name}
        data={options}
        searchable={options.length > 10}
        limit={300}
        selectFirstOptionOnChange
        filter={rankOptions}
        {...form.getInputProps(name)}
        value={form.values[name] || null}
        onChange={(value) => form.setFieldValue(name, value ?? "")}
        placeholder={texts.unknown}
        allowDeselect
        clearable
      />
    ) : (
      <TextInput {...field} key={name} {...form.getInputProps(name)} />
    ),
  );
}

const CLOSED = ["not_found", "paused", "not_open", "expired"] as const;

function DryRunResult({ resolution }: { resolution: Resolution }) {
  const { url, rule, trace } = resolution;
  const closed = CLOSED.find((state) => resolution[state]);
  if (closed || url === null) {
    const [title, text] = texts.closed[closed ?? "expired"];
    return (
      <Alert color="gray" title={title}>
        {text} {url === null ? texts.errorPage : texts.fallback(readableUrl(url))}
      </Alert>
    );
  }
  return (
    <Stack gap="xs" data-testid="outcome">
      <Text size="sm" fw={600} className={`${classes.outcome} ${classes.answer}`} title={url}>
        {texts.goesTo(readableUrl(url))}
      </Text>
      <Text size="sm" className={classes.outcome}>
        {rule === null || rule === DEFAULT_RULE_KEY ? texts.noRule : texts.rule(ruleKeyName(rule))}
      </Text>
      {trace.length > 0 && (
        <ol className={classes.steps} aria-label={texts.steps}>
          {trace.map(({ rule: key, matched, failed_on }, index) => (
            <li key={index} className={classes.step}>
              <Group gap="xs" justify="space-between" wrap="nowrap">
                <Text size="sm" className={classes.outcome}>
                  {ruleKeyName(key)}
                </Text>
                <Badge color={matched ? "green" : "gray"} className={classes.verdict}>
                  {matched ? texts.matched : texts.failedOn(failedName(failed_on))}
                </Badge>
              </Group>
            </li>
          ))}
        </ol>
      )}
    </Stack>
  );
}

/** @param key  of the condition that did not hold, as the API names it */
function failedName(key: string | null): string {
  if (key === "not") return texts.exception;
  const known = CONDITION_KEYS.find((one) => one === key);
  return known ? conditionTexts.names[known] : (key ?? "");
}
