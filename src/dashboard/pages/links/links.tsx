/** Page of all links of the current mode. */
import { Button } from "@mantine/core";
import { IconPlus, IconTableImport } from "@tabler/icons-react";
import { useState } from "react";

import { useMode } from "../../mode.tsx";
import { lazyDialog } from "../../components/lazy-part.tsx";
import { Page } from "../../components/page.tsx";
import { linkListTexts as texts } from "../../texts.ts";
import { FilterBar } from "./filter-bar.tsx";
import { LinkList } from "./link-list.tsx";
import { useLinksView } from "./use-links-view.ts";
import { usePastedLinks } from "./use-pasted-links.ts";

const CreateLink = lazyDialog(() => import("./create-link.tsx"));
const ExportLinks = lazyDialog(() => import("./export-links.tsx"));
const BulkCreate = lazyDialog(() => import("./bulk-create.tsx"));

export default function Links() {
  const { mode } = useMode();
  const state = useLinksView();
  const { view, openDialog, closeDialog, change } = state;
  const [pasted, setPasted] = useState<string[]>([]);
  const openWith = (lines: string[]) => {
    setPasted(lines);
    openDialog(lines.length === 1 ? "link" : "many");
  };
  usePastedLinks(openWith);
  const close = () => {
    setPasted([]);
    closeDialog();
  };

  return (
    <Page
      title={texts.title}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconTableImport size={18} aria-hidden />}
            onClick={() => openDialog("many")}
          >
            {texts.createMany}
          </Button>
          <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => openDialog("link")}>
            {texts.create}
          </Button>
        </>
      }
    >
      <FilterBar key={mode} state={state} />
      <LinkList key={mode} state={state} onClear={() => change({ filters: {} })} />
      {view.dialog === "link" && <CreateLink url={pasted[0] ?? ""} onManyPasted={openWith} onClose={close} />}
      {view.dialog === "export" && <ExportLinks view={view} onClose={close} />}
      {view.dialog === "many" && <BulkCreate text={pasted.join("\n")} onClose={close} />}
    </Page>
  );
}
