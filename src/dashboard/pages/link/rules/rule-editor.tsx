/** A link's rules: the list, unsaved changes, and a dry run. Loaded lazily, with the drag-and-drop library. */
import { Button, Grid, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";

import type { Link } from "../../../../core/contract/links.ts";
import type { Problem } from "../../../../core/errors.ts";
import { timestamp } from "../../../../core/time.ts";
import { useAccount } from "../../../api/account.ts";
import { errorMessage, hasCode } from "../../../api/api-error.ts";
import { Hint, PlainButton, SmallButton } from "../../../components/buttons.tsx";
import { EmptyState, Notice } from "../../../components/states.tsx";
import { formatDateTime } from "../../../formatting/dates.ts";
import { icon } from "../../../icons.tsx";
import { notifySuccess } from "../../../notifications.ts";
import { ruleTexts as texts } from "../../../texts/rules.ts";
import { type LinkWithEtag, useLink, useUpdateLink } from "../use-link.ts";
import { BacktestPanel } from "./backtest-panel.tsx";
import { DryRun } from "./dry-run.tsx";
import { useRuleClicks } from "./rule-clicks.ts";
import { type RuleForm, type RuleProblem, ruleProblemsOf, toRoutingRule } from "./rule-form.ts";
import { RuleList } from "./rule-list.tsx";
import classes from "./rules.module.css";
import { type RuleDraft, type StoredRules, useRuleDraft } from "./use-rule-draft.ts";

export default function RuleEditor({ current }: { current: LinkWithEtag }) {
  const { link } = current;
  const { data: account } = useAccount();
  const isFree = account?.plan === "free";
  const draft = useRuleDraft(current);
  const saving = useSaveRules(draft, current);
  const clicksOf = useRuleClicks(link.id, link.routing);
  const { rules, setRules, offer } = draft;
  const routing = rules.map(toRoutingRule);

  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Stack gap="md">
          {isFree && (
            <Notice color="yellow" title={texts.freeTitle}>
              {link.routing.length > 0 ? texts.freeWithRules : texts.free}
            </Notice>
          )}
          {offer && <DraftOffer offer={offer} current={link} draft={draft} />}
          <SaveRulesError saving={saving} count={rules.length} />
          {rules.length === 0 ? (
            <EmptyState icon={icon("arrows-split-2")} title={texts.none} example={texts.example}>
              {texts.noneHint}
            </EmptyState>
          ) : (
            <Hint>{texts.orderHint}</Hint>
          )}
          <RuleList
            rules={rules}
            setRules={setRules}
            problems={saving.problems}
            setProblems={saving.setProblems}
            defaultUrl={link.url}
            clicksOf={clicksOf}
          />
          {(draft.isDirty || rules.length > 0) && (
            <BacktestPanel
              linkId={link.id}
              routing={routing}
              isDraft={draft.isDirty}
              onProblems={saving.showProblems}
            />
          )}
          {draft.isDirty && <SaveBar draft={draft} saving={saving} current={current} isFree={isFree} />}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <DryRun link={link} draft={draft.isDirty ? routing : null} onProblems={saving.showProblems} />
      </Grid.Col>
    </Grid>
  );
}

interface SaveBarProps {
  draft: RuleDraft;
  saving: RuleSaving;
  current: LinkWithEtag;
  isFree: boolean;
}

function SaveBar({ draft, saving, current, isFree }: SaveBarProps) {
  const needsPremium = isFree && draft.rules.length > 0;
  return (
    <Group className={classes.bar} justify="space-between">
      <Text size="sm" role="status">
        {needsPremium ? texts.unsavedFree : texts.unsaved}
      </Text>
      <Group gap="xs">
        <PlainButton
          onClick={() => {
            saving.clearErrors();
            draft.reset(current);
          }}
        >
          {texts.discard}
        </PlainButton>
        <Button onClick={saving.save} loading={saving.isPending} disabled={needsPremium}>
          {texts.save}
        </Button>
      </Group>
    </Group>
  );
}

interface DraftOfferProps {
  offer: StoredRules;
  current: Link;
  draft: RuleDraft;
}

/** Offers the unsaved rules of an earlier visit, and says whether other rules were saved since. */
function DraftOffer({ offer: { savedAt, rules, savedRules }, current, draft }: DraftOfferProps) {
  const isOutdated = JSON.stringify(savedRules) !== JSON.stringify(current.routing);
  return (
    <Notice
      role="status"
      title={texts.offerTitle}
      actions={
        <>
          <Button size="xs" onClick={draft.takeOffer}>
            {texts.offerTake}
          </Button>
          <SmallButton onClick={draft.dropOffer}>{texts.offerDrop}</SmallButton>
        </>
      }
    >
      {texts.offer(rules.length, formatDateTime(timestamp(savedAt)))} {isOutdated && texts.offerOutdated}
    </Notice>
  );
}

/** Why the rules were not saved, and what to do next. */
function SaveRulesError({ saving, count }: { saving: RuleSaving; count: number }) {
  const { error, problems } = saving;
  if (!error) return null;
  if (hasCode(error, "precondition_failed")) {
    return (
      <Notice
        color="yellow"
        title={texts.conflictTitle}
        actions={
          <>
            <Button size="xs" onClick={saving.reload}>
              {texts.conflictReload}
            </Button>
            <SmallButton onClick={saving.keepDraft}>{texts.conflictKeep}</SmallButton>
          </>
        }
      >
        {texts.conflict}
      </Notice>
    );
  }
  // The account was on another plan when the page was opened.
  if (hasCode(error, "plan_upgrade_required")) {
    return (
      <Notice color="yellow" title={texts.freeTitle}>
        {texts.free}
      </Notice>
    );
  }
  const invalidRules = new Set(problems.flatMap(({ rule }) => rule ?? [])).size;
  const general = problems.filter(({ rule }) => rule === null).map(({ text }) => text);
  const isCorrected = problems.length === 0;
  if (hasCode(error, "validation_failed") && isCorrected) return null;
  return (
    <Notice color="red" title={texts.notSaved}>
      {invalidRules > 0 && `${count === 1 ? texts.wrongRule : texts.wrongRules(invalidRules, count)} `}
      {isCorrected ? errorMessage(error) : general.join(" ")}
    </Notice>
  );
}

/** Saves a draft of rules as a whole, and keeps the API's problems until the rules concerned change. */
function useSaveRules(draft: RuleDraft, { link }: LinkWithEtag) {
  const update = useUpdateLink(link.id);
  const { refetch } = useLink(link.id);
  const [problems, setProblems] = useState<readonly RuleProblem[]>([]);
  /** Shows the API's problems with rules. */
  const showProblems = (found: readonly Problem[], sent: readonly RuleForm[] = draft.rules) =>
    setProblems(
      ruleProblemsOf(
        found,
        sent.map(({ id }) => id),
      ),
    );
  /** Hides the error and the problems. */
  const clearErrors = () => {
    update.reset();
    showProblems([]);
  };
  const save = () => {
    const sent = draft.rules;
    showProblems([]);
    update.mutate(
      { changes: { routing: sent.map(toRoutingRule) }, etag: draft.etag },
      {
        onSuccess: (saved) => {
          draft.reset(saved, sent);
          notifySuccess(texts.saved);
        },
        onError: (error) => {
          if (hasCode(error, "validation_failed")) showProblems(error.problems, sent);
        },
      },
    );
  };
  const refetchThen = async (then: (now: LinkWithEtag) => void) => {
    const { data } = await refetch();
    if (!data) return;
    clearErrors();
    then(data);
  };
  return {
    save,
    clearErrors,
    isPending: update.isPending,
    error: update.error,
    problems,
    setProblems,
    showProblems: (found: readonly Problem[]) => showProblems(found),
    /** Refetches the link and discards the draft. */
    reload: () => void refetchThen((now) => draft.reset(now)),
    /** Refetches the link and rebases the draft on it: saving then overwrites the other change. */
    keepDraft: () => void refetchThen((now) => draft.rebase(now)),
  };
}

type RuleSaving = ReturnType<typeof useSaveRules>;
