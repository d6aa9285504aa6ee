/** What the deployment lacks and how to add it, for its operators. Shows nothing if nothing is missing. */
import { Anchor, Stack, Text } from "@mantine/core";

import { useAccount } from "../../api/account.ts";
import { TitledCard } from "../../components/card.tsx";
import { Hint } from "../../components/buttons.tsx";
import { missingPartTexts as texts } from "../../texts/shell.ts";

export function MissingParts() {
  const { data: account } = useAccount();
  const missing = account?.missing_parts ?? [];
  if (missing.length === 0) return null;
  return (
    <TitledCard title={texts.title} description={texts.hint}>
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }}>
        {missing.map((part) => (
          <li key={part}>
            <Text fw={500}>{texts.parts[part].name}</Text>
            <Hint>
              {texts.parts[part].reason}{" "}
              <Anchor href={texts.parts[part].guide} inherit underline="always">
                {texts.parts[part].add}
              </Anchor>
            </Hint>
          </li>
        ))}
      </Stack>
    </TitledCard>
  );
}
