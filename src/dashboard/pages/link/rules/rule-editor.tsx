/**
 * The rules of a link, in order: the first that matches wins. They are edited as a draft and saved as a whole, under
 * the revision that the draft began with. Loaded by itself, with what it takes to drag.
 */
import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { Alert, Anchor, Button, Grid, Group, Stack, Text } from "@mantine/core";
import { IconArrowsSplit2, IconPlus } from "@tabler/icons-react";
import { useState } from "react";

import { ApiError, messageOf } from "../../../api/api-error.ts";
import { notifyDone } from "../../../parts/notify.ts";
import { EmptyState } from "../../../parts/states.tsx";
import { isConflict, type LinkAt, useLink, useUpdateLink } from "../use-link.ts";
import { moved } from "./moved.ts";
import { RuleCard } from "./rule-card.tsx";
import { newId, useRuleDraft } from "./rule-draft.ts";
import { newRule, routingRule, type RuleForm } from "./rule-form.ts";
import { afterChange, afterMove, NO_RULE_PROBLEMS, placeProblems, type RuleProblems } from "./rule-problems.ts";
import classes from "./rules.module.css";
import { spoken } from "./spoken.ts";
import { TryIt } from "./try-it.tsx";
import { useLeaveGuard } from "./use-leave-guard.ts";

export default function RuleEditor({ current }: { current: LinkAt }) {
  const draft = useRuleDraft(current);
  const saving = useSaveRules(draft, current);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  useLeaveGuard(draft.isDirty);
  const { rules, setRules } = draft;
  const arrange = (change: (all: RuleForm[]) => RuleForm[]) => {
    saving.setProblems(afterMove);
    setRules(change);
  };

  const setOne = (id: string, isOpen: boolean) =>
    setOpen((all) => (isOpen ? new Set([...all, id]) : new Set([...all].filter((one) => one !== id))));
  const add = () => {
    const rule = newRule(newId());
    setRules((all) => [...all, rule]);
    setOne(rule.id, true);
  };
  const duplicate = (rule: RuleForm, index: number) => {
    const copy = { ...rule, id: newId() };
    arrange((all) => all.toSpliced(index + 1, 0, copy));
    setOne(copy.id, true);
  };

  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            The first rule that matches decides. When none does, visitors go to {current.link.url}.
          </Text>
          <SaveProblem saving={saving} draft={draft} />
          {rules.length === 0 ? (
            <EmptyState
              icon={<IconArrowsSplit2 aria-hidden />}
              title="No rules"
              action={<AddButton add={add} label="Add the first rule" />}
            >
              Everyone goes to the same place. Rules send visitors elsewhere by country, device, language, time and
              more.
            </EmptyState>
          ) : (
            <>
              <SortableRules rules={rules} reorder={(from, to) => arrange((all) => moved(all, from, to))}>
                {rules.map((rule, index) => (
                  <RuleCard
                    key={rule.id}
                    rule={rule}
                    index={index}
                    count={rules.length}
                    problems={saving.problems.byRule.get(rule.id)}
                    isOpen={open.has(rule.id) || saving.problems.byRule.has(rule.id)}
                    setOpen={(isOpen) => setOne(rule.id, isOpen)}
                    actions={{
                      change: (changed) => {
                        saving.setProblems((problems) => afterChange(problems, rule.id));
                        setRules((all) => all.map((one) => (one.id === rule.id ? changed : one)));
                      },
                      move: (by) => arrange((all) => moved(all, index, index + by)),
                      duplicate: () => duplicate(rule, index),
                      remove: () => arrange((all) => all.filter(({ id }) => id !== rule.id)),
                    }}
                  />
                ))}
              </SortableRules>
              <div>
                <AddButton add={add} label="Add a rule" />
              </div>
            </>
          )}
          {draft.isDirty && (
            <Group className={classes.bar} justify="space-between">
              <Text size="sm" role="status">
                Unsaved changes
              </Text>
              <Group gap="xs">
                <Button
                  variant="default"
                  onClick={() => {
                    saving.forget();
                    draft.reset(current);
                  }}
                >
                  Discard
                </Button>
                <Button onClick={saving.save} loading={saving.isPending}>
                  Save rules
                </Button>
              </Group>
            </Group>
          )}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <TryIt link={current.link} hasUnsaved={draft.isDirty} />
      </Grid.Col>
    </Grid>
  );
}

interface Saving {
  save: () => void;
  /** No longer shows what was wrong. */
  forget: () => void;
  isPending: boolean;
  error: unknown;
  problems: RuleProblems;
  setProblems: (change: (problems: RuleProblems) => RuleProblems) => void;
  /** Reads the link again and drops the draft. */
  reload: () => void;
  /** Reads the link again and keeps the draft, which then replaces what is there. */
  keepMine: () => void;
}

function useSaveRules(draft: ReturnType<typeof useRuleDraft>, { link }: LinkAt): Saving {
  const update = useUpdateLink(link.id);
  const { refetch } = useLink(link.id);
  const [problems, setProblems] = useState(NO_RULE_PROBLEMS);
  const forget = () => {
    update.reset();
    setProblems(NO_RULE_PROBLEMS);
  };
  const save = () => {
    const sent = draft.rules;
    setProblems(NO_RULE_PROBLEMS);
    update.mutate(
      { changes: { routing: sent.map(routingRule) }, etag: draft.etag },
      {
        onSuccess: (saved) => {
          draft.reset(saved, sent);
          notifyDone("Rules saved. Visitors follow them within seconds.");
        },
        onError: (error) => {
          const placed = error instanceof ApiError && error.code === "validation_failed" ? error.problems : [];
          setProblems(
            placeProblems(
              placed,
              sent.map(({ id }) => id),
            ),
          );
        },
      },
    );
  };
  const readAgain = async (then: (now: LinkAt) => void) => {
    const { data } = await refetch();
    if (!data) return;
    forget();
    then(data);
  };
  return {
    save,
    forget,
    isPending: update.isPending,
    error: update.error,
    problems,
    setProblems,
    reload: () => void readAgain((now) => draft.reset(now)),
    keepMine: () => void readAgain((now) => draft.rebase(now)),
  };
}

function SaveProblem({ saving, draft }: { saving: Saving; draft: ReturnType<typeof useRuleDraft> }) {
  const { error, problems } = saving;
  if (!error) return null;
  if (isConflict(error)) {
    return (
      <Alert color="yellow" variant="light" role="alert" title="Somebody else changed this link">
        <Stack gap="sm" align="flex-start">
          <Text size="sm">
            Its rules are not what they were when you began. Nothing was saved. Take what is there now, or keep your
            rules and save them over it.
          </Text>
          <Group gap="xs">
            <Button size="xs" onClick={saving.reload}>
              Reload
            </Button>
            <Button size="xs" variant="default" onClick={saving.keepMine}>
              Keep mine
            </Button>
          </Group>
        </Stack>
      </Alert>
    );
  }
  if (error instanceof ApiError && error.code === "plan_upgrade_required") {
    return (
      <Alert color="yellow" variant="light" role="alert" title="Rules need the Premium plan">
        <Text size="sm">
          This account is on the Free plan, so nothing was saved. Ask whoever runs this service for the Premium plan.
          Rules that are stored already go on working, and you may remove them. See{" "}
          <Anchor href="/docs/errors#plan_upgrade_required" inherit c="inherit" underline="always">
            plan_upgrade_required
          </Anchor>
          .
        </Text>
      </Alert>
    );
  }
  const wrong = problems.byRule.size;
  const isMended = wrong === 0 && problems.general.length === 0;
  if (error instanceof ApiError && error.code === "validation_failed" && isMended) return null;
  return (
    <Alert color="red" variant="light" role="alert" title="The rules were not saved">
      <Text size="sm">
        {wrong > 0 ? `${count(wrong, draft.rules.length)} to be mended; see below. ` : ""}
        {isMended ? messageOf(error) : problems.general.join(" ")}
      </Text>
    </Alert>
  );
}

function count(wrong: number, all: number): string {
  return wrong === 1 ? `1 of ${all} rules has` : `${wrong} of ${all} rules have`;
}

function AddButton({ add, label }: { add: () => void; label: string }) {
  return (
    <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
      {label}
    </Button>
  );
}

interface SortableRulesProps {
  rules: readonly RuleForm[];
  reorder: (from: number, to: number) => void;
  children: React.ReactNode;
}

function SortableRules({ rules, reorder, children }: SortableRulesProps) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const placeOf = (id: unknown) => rules.findIndex((rule) => rule.id === id);
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    if (over && active.id !== over.id) reorder(placeOf(active.id), placeOf(over.id));
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={onDragEnd}
      accessibility={spoken((id) => placeOf(id) + 1, rules.length)}
    >
      <SortableContext items={rules.map(({ id }) => id)} strategy={verticalListSortingStrategy}>
        <ol className={classes.list} aria-label="Rules in order">
          {children}
        </ol>
      </SortableContext>
    </DndContext>
  );
}
