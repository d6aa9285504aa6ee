/**
 * Editor of a link's routing rules, in order: the first that matches wins. They are edited as a draft and saved as a
 * whole, with `If-Match` of the draft's base revision. Loaded lazily, with the drag-and-drop library.
 */
import { Button, Grid, Group, Stack, Text } from "@mantine/core";
import { IconArrowsSplit2, IconPlus } from "@tabler/icons-react";
import { useState } from "react";

import { EmptyState } from "../../../components/states.tsx";
import type { LinkRevision } from "../use-link.ts";
import { moveItem } from "./move-item.ts";
import { RuleCard } from "./rule-card.tsx";
import { newRuleId, useRuleDraft } from "./use-rule-draft.ts";
import { newRule, type RuleForm } from "./rule-form.ts";
import { clearRuleProblems, clearOrderProblems } from "./rule-problems.ts";
import classes from "./rules.module.css";
import { SaveRulesError } from "./save-error.tsx";
import { SortableRules } from "./sortable-rules.tsx";
import { DryRun } from "./dry-run.tsx";
import { useUnsavedChangesGuard } from "./use-unsaved-changes-guard.ts";
import { useSaveRules } from "./use-save-rules.ts";

export default function RuleEditor({ current }: { current: LinkRevision }) {
  const draft = useRuleDraft(current);
  const saving = useSaveRules(draft, current);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  useUnsavedChangesGuard(draft.isDirty);
  const { rules, setRules } = draft;
  const changeOrder = (change: (all: RuleForm[]) => RuleForm[]) => {
    saving.setProblems(clearOrderProblems);
    setRules(change);
  };

  const setRuleOpen = (id: string, isOpen: boolean) =>
    setOpen((all) => (isOpen ? new Set([...all, id]) : new Set([...all].filter((one) => one !== id))));
  const add = () => {
    const rule = newRule(newRuleId());
    setRules((all) => [...all, rule]);
    setRuleOpen(rule.id, true);
  };
  const duplicate = (rule: RuleForm, index: number) => {
    const copy = { ...rule, id: newRuleId() };
    changeOrder((all) => all.toSpliced(index + 1, 0, copy));
    setRuleOpen(copy.id, true);
  };

  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            The first rule that matches decides. When none does, visitors go to {current.link.url}.
          </Text>
          <SaveRulesError saving={saving} count={rules.length} />
          {rules.length === 0 ? (
            <EmptyState
              icon={<IconArrowsSplit2 aria-hidden />}
              title="No rules"
              action={<AddRuleButton add={add} label="Add the first rule" />}
            >
              Everyone goes to the same place. Rules send visitors elsewhere by country, device, language, time and
              more.
            </EmptyState>
          ) : (
            <>
              <SortableRules rules={rules} onMove={(from, to) => changeOrder((all) => moveItem(all, from, to))}>
                {rules.map((rule, index) => (
                  <RuleCard
                    key={rule.id}
                    rule={rule}
                    index={index}
                    count={rules.length}
                    problems={saving.problems.byRule.get(rule.id)}
                    isOpen={open.has(rule.id) || saving.problems.byRule.has(rule.id)}
                    setOpen={(isOpen) => setRuleOpen(rule.id, isOpen)}
                    actions={{
                      change: (changed) => {
                        saving.setProblems((problems) => clearRuleProblems(problems, rule.id));
                        setRules((all) => all.map((one) => (one.id === rule.id ? changed : one)));
                      },
                      move: (by) => changeOrder((all) => moveItem(all, index, index + by)),
                      duplicate: () => duplicate(rule, index),
                      remove: () => changeOrder((all) => all.filter(({ id }) => id !== rule.id)),
                    }}
                  />
                ))}
              </SortableRules>
              <div>
                <AddRuleButton add={add} label="Add a rule" />
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
                    saving.clearErrors();
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
        <DryRun link={current.link} hasUnsaved={draft.isDirty} />
      </Grid.Col>
    </Grid>
  );
}

function AddRuleButton({ add, label }: { add: () => void; label: string }) {
  return (
    <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
      {label}
    </Button>
  );
}
