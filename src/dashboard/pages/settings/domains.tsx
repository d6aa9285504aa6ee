/** Domain settings: the account's domains in the current mode. */
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import { domainsQuery } from "../../api/domains.ts";
import { IconPlus, IconWorld } from "../../icons.tsx";
import { useMode } from "../../mode.tsx";
import { EmptyState, ErrorState, ListSkeleton } from "../../components/states.tsx";
import { domainTexts as texts } from "../../texts/settings.ts";
import { AddDomain } from "./add-domain.tsx";
import classes from "./domains.module.css";
import { DomainCard } from "./domain-card.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

export default function Domains() {
  const { mode } = useMode();
  const [adding, add] = useDisclosure();
  const domains = useQuery(domainsQuery(mode));
  return (
    <SettingsLayout
      title={texts.title}
      description={texts.hint}
      actions={
        <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={add.open}>
          {texts.add}
        </Button>
      }
    >
      {domains.isPending && <ListSkeleton rows={2} height={140} />}
      {domains.error && <ErrorState error={domains.error} retry={() => void domains.refetch()} />}
      {domains.data?.length === 0 && (
        <EmptyState
          icon={<IconWorld size={30} />}
          title={texts.none[mode]}
          action={<Button onClick={add.open}>{texts.addFirst}</Button>}
        >
          {texts.noneHint}
        </EmptyState>
      )}
      {domains.data && domains.data.length > 0 && (
        <ul className={classes.list} aria-label={texts.list}>
          {domains.data.map((domain) => (
            <DomainCard key={domain.id} domain={domain} />
          ))}
        </ul>
      )}
      {adding && <AddDomain onClose={add.close} />}
    </SettingsLayout>
  );
}
