/** Rules of a new link, built before it is created. The editor is loaded when the section is used. */
import { Button, Skeleton, Text } from "@mantine/core";
import { useState } from "react";

import { useAccount } from "../../api/account.ts";
import { lazyPart } from "../../components/lazy-part.tsx";
import { IconPlus } from "../../icons.tsx";
import { createLinkTexts as texts } from "../../texts/links.ts";
import type { RuleForm } from "../link/rules/rule-form.ts";
import type { RuleListProps } from "../link/rules/rule-list.tsx";
import type { RuleProblems } from "../link/rules/rule-problems.ts";
import { FormSection } from "./form-sections.tsx";

const RuleList = lazyPart<RuleListProps>(
  () => import("../link/rules/rule-list.tsx").then((module) => ({ default: module.RuleList })),
  <Skeleton height={120} />,
);

interface RulesSectionProps {
  rules: readonly RuleForm[];
  setRules: RuleListProps["setRules"];
  problems: RuleProblems;
  setProblems: RuleListProps["setProblems"];
  /** The new link's destination, as far as it is typed. */
  url: string;
}

export function RulesSection({ rules, setRules, problems, setProblems, url }: RulesSectionProps) {
  const { data: account } = useAccount();
  const [isUsed, setUsed] = useState(false);
  const isPremium = account?.plan === "premium";
  return (
    <FormSection
      title={texts.rules}
      summary={rules.length === 0 ? "" : texts.ruleCount(rules.length)}
      hasError={problems.general.length > 0 || problems.byRule.size > 0}
    >
      <Text size="sm" c="dimmed">
        {isPremium ? texts.rulesHint : texts.rulesOnPremium}
      </Text>
      {problems.general.map((problem) => (
        <Text key={problem} size="sm" c="red" role="alert">
          {problem}
        </Text>
      ))}
      {isPremium && !isUsed && (
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => setUsed(true)}
        >
          {texts.useRules}
        </Button>
      )}
      {isUsed && (
        <RuleList rules={rules} setRules={setRules} problems={problems} setProblems={setProblems} defaultUrl={url} />
      )}
    </FormSection>
  );
}
