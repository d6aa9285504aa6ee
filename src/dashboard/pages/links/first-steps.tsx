/** Checklist for a first visit. Once there are links, it is a single line that expands. */
import { Anchor, Button, Collapse, Group, Paper, Progress, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link as RouterLink } from "wouter";

import { useAccount } from "../../api/account.ts";
import { FlatButton, Hint, IconButton } from "../../components/buttons.tsx";
import { icon } from "../../icons.tsx";
import { firstStepsTexts as texts } from "../../texts/links.ts";
import { countedSteps, FIRST_STEPS, type FirstStep, type FirstSteps, useFirstSteps } from "./use-first-steps.ts";
import classes from "./first-steps.module.css";

export function FirstStepsCard({ onCreate }: { onCreate: () => void }) {
  const steps = useFirstSteps();
  // The key expands it for an account without links, and collapses it after the first link is created.
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
        <Title order={2} size="h5" id="first-steps-title">
          {texts.title}
        </Title>
        <Progress
          className={classes.progress}
          value={(done / counted.length) * 100}
          size="sm"
          aria-label={texts.progress(done, counted.length)}
        />
        <Hint className={classes.count}>{texts.count(done, counted.length)}</Hint>
        <FlatButton aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? texts.hide : texts.show}
        </FlatButton>
        <IconButton label={texts.dismiss} sign={icon("x", 16)} onClick={steps.dismiss} />
      </Group>
      <Collapse expanded={isOpen}>
        <ul className={classes.steps}>
          {FIRST_STEPS.map((step) => (
            <Step key={step} step={step} steps={steps} isCounted={counted.includes(step)} onCreate={onCreate} />
          ))}
        </ul>
        <Hint>
          {texts.programs}{" "}
          <Anchor href="/docs/api" inherit underline="always">
            {texts.apiReference}
          </Anchor>
        </Hint>
      </Collapse>
    </Paper>
  );
}

interface StepProps {
  step: FirstStep;
  steps: FirstSteps;
  /** Whether the account's plan includes it. */
  isCounted: boolean;
  onCreate: () => void;
}

function Step(props: StepProps) {
  const { step, steps, isCounted } = props;
  const isDone = steps.done.includes(step);
  return (
    <li className={classes.step} data-done={isDone || undefined}>
      {isDone
        ? icon("circle-check-filled", 20, { className: classes.done, "aria-label": texts.done })
        : !isCounted
          ? icon("lock", 20, { className: classes.open })
          : icon("circle", 20, { className: classes.open, "aria-label": texts.open })}
      <Text size="sm" {...(isCounted ? {} : { c: "dimmed" })}>
        {texts.steps[step]}
      </Text>
      {!isDone && <StepAction {...props} />}
    </li>
  );
}

function StepAction({ step, steps: { newest, open }, isCounted, onCreate }: StepProps) {
  const button = { size: "compact-sm", variant: "default", children: texts.actions[step] } as const;
  if (step === "link") return <Button {...button} variant="filled" onClick={onCreate} />;
  if (step === "key") return <Button {...button} component={RouterLink} to="/settings/api-keys" />;
  if (step === "domain") return <Button {...button} component={RouterLink} to="/settings/domains" />;
  if (!isCounted) return <Hint size="xs">{texts.premium}</Hint>;
  if (step === "click") {
    return open ? <Button {...button} component="a" href={open.short_url} target="_blank" rel="noreferrer" /> : null;
  }
  return newest ? <Button {...button} component={RouterLink} to={`/links/${newest.id}?tab=rules`} /> : null;
}
