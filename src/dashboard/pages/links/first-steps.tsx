/** Checklist of a first visit. Once there are links it is one line, which unfolds. */
import { ActionIcon, Anchor, Button, Collapse, Group, Paper, Progress, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link as RouterLink } from "wouter";

import { useAccount } from "../../api/account.ts";
import { IconCircle, IconCircleCheckFilled, IconLock, IconX } from "../../icons.tsx";
import { firstStepsTexts as texts } from "../../texts/links.ts";
import { countedSteps, FIRST_STEPS, type FirstStep, type FirstSteps, useFirstSteps } from "./use-first-steps.ts";
import classes from "./first-steps.module.css";

export function FirstStepsCard({ onCreate }: { onCreate: () => void }) {
  const steps = useFirstSteps();
  // The key unfolds it for an account without links, and folds it once the first is there.
  return steps && <Checklist key={String(steps.newest === undefined)} steps={steps} onCreate={onCreate} />;
}

function Checklist({ steps, onCreate }: { steps: FirstSteps; onCreate: () => void }) {
  const [isOpen, { toggle }] = useDisclosure(steps.newest === undefined);
  const { data: account } = useAccount();
  const counted = countedSteps(account?.plan ?? "free");
  const done = counted.filter((step) => steps.done.includes(step)).length;
  return (
    <Paper withBorder p="sm" component="section" aria-labelledby="first-steps-title">
      <Group gap="sm" wrap="nowrap">
        <Title order={2} size="h5" id="first-steps-title" className={classes.title}>
          {texts.title}
        </Title>
        <Progress
          className={classes.progress}
          value={(done / counted.length) * 100}
          size="sm"
          aria-label={texts.progress(done, counted.length)}
        />
        <Text size="sm" c="dimmed" className={classes.count}>
          {texts.count(done, counted.length)}
        </Text>
        <Button variant="subtle" size="compact-sm" aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? texts.hide : texts.show}
        </Button>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.dismiss}
          title={texts.dismiss}
          onClick={steps.dismiss}
        >
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </Group>
      <Collapse expanded={isOpen}>
        <ul className={classes.steps}>
          {FIRST_STEPS.map((step) => (
            <Step key={step} step={step} isDone={steps.done.includes(step)} isCounted={counted.includes(step)}>
              <StepAction step={step} steps={steps} isPremium={account?.plan === "premium"} onCreate={onCreate} />
            </Step>
          ))}
        </ul>
        <Text size="sm" c="dimmed">
          {texts.programs}{" "}
          <Anchor href="/docs" inherit underline="always">
            {texts.apiReference}
          </Anchor>
        </Text>
      </Collapse>
    </Paper>
  );
}

interface StepProps {
  step: FirstStep;
  isDone: boolean;
  isCounted: boolean;
  children: React.ReactNode;
}

function Step({ step, isDone, isCounted, children }: StepProps) {
  return (
    <li className={classes.step} data-done={isDone || undefined}>
      {isDone ? (
        <IconCircleCheckFilled size={20} className={classes.done} role="img" aria-label={texts.done} />
      ) : !isCounted ? (
        <IconLock size={20} className={classes.open} aria-hidden />
      ) : (
        <IconCircle size={20} className={classes.open} role="img" aria-label={texts.open} />
      )}
      <Text size="sm" {...(isCounted ? {} : { c: "dimmed" })}>
        {texts.steps[step]}
      </Text>
      {!isDone && children}
    </li>
  );
}

interface StepActionProps {
  step: FirstStep;
  steps: FirstSteps;
  isPremium: boolean;
  onCreate: () => void;
}

function StepAction({ step, steps: { newest }, isPremium, onCreate }: StepActionProps) {
  const button = { size: "compact-sm", variant: "default" } as const;
  switch (step) {
    case "link":
      return (
        <Button {...button} variant="filled" onClick={onCreate}>
          {texts.actions.link}
        </Button>
      );
    case "click":
      return newest ? (
        <Button {...button} component="a" href={newest.short_url} target="_blank" rel="noreferrer">
          {texts.actions.click}
        </Button>
      ) : null;
    case "rule":
      if (!isPremium)
        return (
          <Text size="xs" c="dimmed">
            {texts.premium}
          </Text>
        );
      return newest ? (
        <Button {...button} component={RouterLink} to={`/links/${newest.id}?tab=rules`}>
          {texts.actions.rule}
        </Button>
      ) : null;
    case "key":
      return (
        <Button {...button} component={RouterLink} to="/settings/api-keys">
          {texts.actions.key}
        </Button>
      );
    case "domain":
      return (
        <Button {...button} component={RouterLink} to="/settings/domains">
          {texts.actions.domain}
        </Button>
      );
  }
}
