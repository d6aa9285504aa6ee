/** Rules of a new link, built before it is created. The editor is loaded when the section is used. */
import { Skeleton, Text } from "@mantine/core";
import { useState } from "react";

import { useAccount } from "../../api/account.ts";
import { lazyPart } from "../../components/lazy-part.tsx";
import { SmallButton } from "../../components/buttons.tsx";
import { Hint } from "../../components/hint.tsx";
import { icon } from "../../icons.tsx";
import { createLinkTexts as texts } from "../../texts/links.ts";
import type { RuleListProps } from "../link/rules/rule-list.tsx";
import { FormSection } from "./form-sections.tsx";

const RuleList = lazyPart<RuleListProps>(
  () => import("../link/rules/rule-list.tsx").then((module) => ({ default: module.RuleList })),
  <Skeleton height={120} />,
);

interface RulesSectionProps extends Pick<RuleListProps, "rules" | "setRules" | "problems" | "setProblems"> {
  /** The new link's destination, as far as it is typed. */
  url: string;
}

export function RulesSection({ url, ...list }: RulesSectionProps) {
  const { rules, problems } = list;
  const { data: account } = useAccount();
  const [isUsed, setUsed] = useState(false);
  const isPremium = account?.plan === "premium";
  return (
    <FormSection
      title={texts.rules}
      summary={rules.length === 0 ? "" : texts.ruleCount(rules.length)}
      hasError={problems.general.length > 0 || problems.byRule.size > 0}
    >
      <Hint>{isPremium ? texts.rulesHint : texts.rulesOnPremium}</Hint>
      {problems.general.map((problem) => (
        <Text key={problem} size="sm" c="red" role="alert">
          {problem}
        </Text>
      ))}
      {isPremium && !isUsed && (
        <SmallButton w="fit-content" leftSection={icon("plus", 16)} onClick={() => setUsed(true)}>
          {texts.useRules}
        </SmallButton>
      )}
      {isUsed && <RuleList {...list} defaultUrl={url} />}
    </FormSection>
  );
}
