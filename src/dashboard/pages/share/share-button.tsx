/** The button that opens the dialog for sharing, on statistics of a link or of one tag. */
import { useDisclosure } from "@mantine/hooks";

import { NONE_KEY } from "../../../core/clicks/facts.ts";
import { PlainButton } from "../../components/buttons.tsx";
import { lazyDialog } from "../../components/lazy-part.tsx";
import { linkName } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { shareTexts as texts } from "../../texts/share.ts";
import { isExcluded } from "../link/stats/stats-params.ts";
import type { StatsView } from "../link/stats/use-stats.ts";
import type { SharedSubject } from "./share-dialog.tsx";

const ShareDialog = lazyDialog(() => import("./share-dialog.tsx"));

function sharedSubject({ subject: { link }, params: { filters } }: StatsView): SharedSubject | null {
  if (link) return { name: linkName(link), query: { link_id: link.id } };
  const [tag, ...others] = filters.tag ?? [];
  if (tag === undefined || tag === NONE_KEY || others.length > 0 || isExcluded(filters, "tag")) return null;
  return { name: tag, query: { tag } };
}

export function ShareButton({ view }: { view: StatsView }) {
  const [isOpen, { open, close }] = useDisclosure();
  const subject = sharedSubject(view);
  if (!subject) return null;
  return (
    <>
      <PlainButton leftSection={icon("share", 16)} onClick={open}>
        {texts.open}
      </PlainButton>
      {isOpen && <ShareDialog subject={subject} zone={view.params.zone} onClose={close} />}
    </>
  );
}
