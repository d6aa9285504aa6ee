/** Dialog that saves QR codes of several links, or all codes of one, as a sheet for print. */
import { Button, Group, Input, Loader, Modal, SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";

import type { Link } from "../../../../core/contract/links.ts";
import type { QrCode, QrCodePage } from "../../../../core/contract/qr-codes.ts";
import { PAGE_QR_CODES_MAX, QR_SIZE_MAX_PX } from "../../../../core/limits.ts";
import { useAccount } from "../../../api/account.ts";
import { type ApiClient, unwrap, useApi } from "../../../api/client.ts";
import { useAbortableMutation } from "../../../api/mutations.ts";
import { newIdempotencyKey, type Wait, withRetries } from "../../../api/waits.ts";
import { Hint, PlainButton, WaitHint } from "../../../components/buttons.tsx";
import { ErrorState } from "../../../components/states.tsx";
import { downloadFile } from "../../../files/download.ts";
import { linkName } from "../../../formatting/hosts.ts";
import { icon } from "../../../icons.tsx";
import { qrSheetTexts as texts } from "../../../texts/qr.ts";
import { buttonTexts } from "../../../texts/shell.ts";
import { drawDesign, type QrDesign, quickQrCode, readBrand } from "./qr-design.ts";
import { labelRaster, logoRaster } from "./qr-downloads.ts";
import { type PAPERS, type SheetCode, sheetCodeSide, sheetFile } from "./qr-files.ts";

type Paper = keyof typeof PAPERS;

const PAPER_NAMES: readonly Paper[] = ["a4", "letter"];
const COLUMNS = [2, 3, 4, 5];
/** Countries in which printers use Letter. */
const LETTER_LOCALES = /-(US|CA|MX|PH|CL|CO|VE)$/i;

interface QrSheetProps {
  links: readonly Link[];
  /** All codes of the link, instead of the newest of each. */
  isOfLink?: boolean;
  onClose: () => void;
}

export default function QrSheet({ links, isOfLink = false, onClose }: QrSheetProps) {
  const [paper, setPaper] = useState<Paper>(() => (LETTER_LOCALES.test(navigator.language) ? "letter" : "a4"));
  const [columns, setColumns] = useState(3);
  const { create, done, wait } = useSheet(links, isOfLink, onClose);
  const side = sheetCodeSide(paper, columns) / 72;
  return (
    <Modal
      opened
      onClose={onClose}
      title={isOfLink ? texts.titleOfLink : texts.title(links.length)}
      closeOnClickOutside={!create.isPending}
    >
      <Stack>
        <Text size="sm">
          {isOfLink ? texts.hintOfLink(PAGE_QR_CODES_MAX) : texts.hint} {texts.design}
        </Text>
        <Input.Wrapper label={texts.paper}>
          <SegmentedControl
            fullWidth
            aria-label={texts.paper}
            value={paper}
            onChange={setPaper}
            data={PAPER_NAMES.map((value) => ({ value, label: texts.papers[value] }))}
          />
        </Input.Wrapper>
        <Input.Wrapper label={texts.columns}>
          <SegmentedControl
            fullWidth
            aria-label={texts.columns}
            value={String(columns)}
            onChange={(chosen) => setColumns(Number(chosen))}
            data={COLUMNS.map(String)}
          />
        </Input.Wrapper>
        <Hint>{texts.codeSize((side * 2.54).toFixed(1), side.toFixed(1))}</Hint>
        {create.isPending && (
          <Group gap="xs" role="status">
            <Loader size="xs" aria-hidden />
            <Text size="sm">{texts.progress(done, links.length)}</Text>
          </Group>
        )}
        <WaitHint wait={wait} />
        {create.error && <ErrorState title={texts.failed} error={create.error} />}
        <Group justify="flex-end">
          <PlainButton onClick={onClose}>{buttonTexts.cancel}</PlainButton>
          <Button
            leftSection={icon("download", 18)}
            loading={create.isPending}
            onClick={() => create.mutate({ paper, columns })}
          >
            {create.error ? buttonTexts.tryAgain : texts.create}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Fetches the codes, one link after the other, and saves the sheet. A second attempt finds the codes that were created. */
function useSheet(links: readonly Link[], isOfLink: boolean, onSaved: () => void) {
  const { api } = useApi();
  const accountId = useAccount().data?.id ?? "";
  const [done, setDone] = useState(0);
  const [wait, setWait] = useState<Wait | null>(null);
  const create = useAbortableMutation({
    mutationFn: async ({ paper, columns }: { paper: Paper; columns: number }, signal) => {
      const design = readBrand(localStorage, accountId);
      const draw = sheetDrawer(design, sheetCodeSide(paper, columns));
      const drawn: SheetCode[] = [];
      const retried: Retried = async (send) => {
        const answer = await withRetries(() => send({ init: { signal } }), signal, setWait);
        signal.throwIfAborted();
        return answer;
      };
      setDone(0);
      for (const [i, link] of links.entries()) {
        const listed = await listCodes(api, link, isOfLink ? PAGE_QR_CODES_MAX : 1, retried);
        const codes = listed.length > 0 || isOfLink ? listed : [await createCode(api, link, design, retried)];
        for (const code of codes) drawn.push(await draw(link, code));
        setDone(i + 1);
      }
      if (drawn.length === 0) throw new Error(texts.noCodes);
      return sheetFile(drawn, { paper, columns });
    },
    onSuccess: (file) => {
      downloadFile("qr-codes.pdf", file);
      onSaved();
    },
  });
  return { create, done, wait };
}

type Retried = <T>(send: (init: { init: { signal: AbortSignal } }) => Promise<T>) => Promise<T>;

/** The newest codes of a link. A page may have fewer than its limit. */
async function listCodes(api: ApiClient, link: Link, limit: number, retried: Retried): Promise<QrCode[]> {
  const codes: QrCode[] = [];
  let cursor: string | null = null;
  do {
    const query = { link_id: link.id, limit: String(limit - codes.length), cursor: cursor ?? undefined };
    const page: QrCodePage = await retried((init) => unwrap(api.qr.$get({ query }, init)));
    codes.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null && codes.length < limit);
  return codes;
}

function createCode(api: ApiClient, link: Link, design: QrDesign, retried: Retried): Promise<QrCode> {
  const json = quickQrCode(link.id, design);
  const headers = { "Idempotency-Key": newIdempotencyKey() };
  return retried((init) => unwrap<QrCode>(api.qr.$post({ json }, { headers, ...init })));
}

/** Draws the codes of a sheet, with one logo for each background. */
function sheetDrawer(design: QrDesign, side: number) {
  const logos = new Map<string, ReturnType<typeof logoRaster>>();
  return async (link: Link, { id, name, fg, bg }: QrCode): Promise<SheetCode> => {
    const drawing = drawDesign(link.short_url, id, { ...design, size: QR_SIZE_MAX_PX });
    if ("minSize" in drawing) throw new RangeError(`${id} does not fit the largest size`);
    const logo = logos.get(bg) ?? logoRaster(design.logo, bg);
    logos.set(bg, logo);
    const label = labelRaster([name ?? link.title ?? "", linkName(link)], side);
    return { picture: { ...drawing, fg, bg }, label, logo: await logo };
  };
}
