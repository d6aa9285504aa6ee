/**
 * Designer of a link's QR codes, and the list of its codes. The browser draws the preview with the same functions as
 * the API's image, which has its own token. Loaded lazily, with the code that encodes symbols.
 */
import { Alert, Anchor, Badge, Button, Grid, Group, Paper, Stack, Switch, Text, TextInput, Title } from "@mantine/core";
import { type FormEvent, type MouseEvent, useMemo, useState } from "react";

import type { Link } from "../../../../core/contract/links.ts";
import type { QrCode } from "../../../../core/contract/qr-codes.ts";
import { QR_NAME_MAX_CHARS } from "../../../../core/limits.ts";
import { SmallButton } from "../../../components/buttons.tsx";
import { TitledCard } from "../../../components/card.tsx";
import { FormDraft } from "../../../components/form.tsx";
import { Hint } from "../../../components/hint.tsx";
import { NextPage } from "../../../components/next-page.tsx";
import { Notice, ErrorState, ListSkeleton } from "../../../components/states.tsx";
import { useDraftState } from "../../../components/use-draft.ts";
import { downloadProps } from "../../../files/download.ts";
import { formatDateTime } from "../../../formatting/dates.ts";
import { icon } from "../../../icons.tsx";
import { qrTexts as texts } from "../../../texts/qr.ts";
import { QrDesignFields } from "./qr-design-fields.tsx";
import { DEFAULT_DESIGN, effectiveDesign, type QrDesign, qrFieldErrors, qrFormError } from "./qr-design.ts";
import { colorContrast, drawQr } from "./qr-drawing.ts";
import classes from "./qr.module.css";
import { useCreateQrCode, useQrCodes, useUpdateQrCode } from "./use-qr-codes.ts";

export default function QrDesigner({ link }: { link: Link }) {
  const [design, change, draft] = useDraftState(`qr-code:${link.id}`, DEFAULT_DESIGN);
  const create = useCreateQrCode(link.id);
  const changeDesign = (changed: Partial<QrDesign>) => {
    if (!create.isPending) create.reset();
    change(changed);
  };
  const onCreate = ({ detail }: MouseEvent) => {
    // The second click of a double click may arrive after the first has created its code.
    if (detail <= 1) create.mutate(design, { onSuccess: draft.done });
  };

  return (
    <Stack gap="lg">
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="md">
            <FormDraft draft={draft} />
            <TextInput
              label={texts.name}
              description={texts.nameHint}
              maxLength={QR_NAME_MAX_CHARS}
              value={design.name}
              onChange={(event) => changeDesign({ name: event.currentTarget.value })}
            />
            <QrDesignFields design={design} onChange={changeDesign} errors={qrFieldErrors(create.error)} />
            <div>
              <Button onClick={onCreate} loading={create.isPending}>
                {texts.create}
              </Button>
            </div>
            {create.error && (
              <Notice color="red" title={texts.notCreated}>
                {qrFormError(create.error) ?? texts.correctFields}
              </Notice>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <TitledCard title={texts.preview}>
            <QrPreview shortUrl={link.short_url} design={effectiveDesign(design)} />
            <Hint size="xs">{texts.previewHint}</Hint>
          </TitledCard>
        </Grid.Col>
      </Grid>
      <QrCodeList linkId={link.id} />
    </Stack>
  );
}

/** Preview of a QR code as SVG. */
function QrPreview({ shortUrl, design }: { shortUrl: string; design: QrDesign }) {
  const { fg, bg, size, margin, ecc, logo } = design;
  const hasLogo = logo !== null;
  const drawing = useMemo(
    () => drawQr(shortUrl, { ecc, margin, size, hasLogo }),
    [shortUrl, ecc, margin, size, hasLogo],
  );
  if (colorContrast(fg, bg) === null) return null;
  if ("minSize" in drawing) {
    return (
      <Alert color="yellow" role="status">
        {texts.sizeTooSmall(drawing.minSize)}
      </Alert>
    );
  }
  const { path, logoBox } = drawing;
  return (
    <svg viewBox={`0 0 ${size} ${size}`} className={classes.preview} role="img" aria-label={texts.previewLabel}>
      <rect width={size} height={size} fill={bg} />
      <path d={path} fill={fg} shapeRendering="crispEdges" />
      {logoBox && logo && (
        <image href={logo} x={logoBox.at} y={logoBox.at} width={logoBox.side} height={logoBox.side} />
      )}
    </svg>
  );
}

/** The QR codes of a link, newest first, with their scans. */
function QrCodeList({ linkId }: { linkId: string }) {
  const [isArchived, setArchived] = useState(false);
  const pages = useQrCodes(linkId, isArchived);
  const { data, error, refetch } = pages;
  if (!data)
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <ListSkeleton rows={1} height={150} />;
  // A code created in the meantime shifts the others, so that one may be on two pages.
  const codes = [...new Map(data.pages.flatMap((page) => page.data.map((code) => [code.id, code]))).values()];
  return (
    <section aria-labelledby="codes-title">
      <Title order={2} size="h4" id="codes-title" mb={4}>
        {texts.codes}
      </Title>
      <Switch
        label={texts.showArchived}
        checked={isArchived}
        onChange={(event) => setArchived(event.currentTarget.checked)}
        mb="xs"
      />
      <Hint mb="sm">{listHint(codes.length, isArchived)}</Hint>
      <Stack gap="md" align="stretch">
        {codes.map((code) => (
          <QrCodeCard key={code.id} code={code} />
        ))}
        <NextPage pages={pages} label={texts.loadMore} />
      </Stack>
    </section>
  );
}

function listHint(codes: number, isArchived: boolean): string {
  if (isArchived) return codes === 0 ? texts.noneArchived : texts.archivedHint;
  return codes === 0 ? texts.noCodes : texts.codesHint;
}

function QrCodeCard({ code }: { code: QrCode }) {
  const { id, format, size, url, scans, created_at, fg, bg } = code;
  return (
    <Paper withBorder p="md" component="article" aria-label={texts.code(id)}>
      <Group align="flex-start" gap="md">
        <img src={url} alt={texts.code(id)} loading="lazy" width={120} height={120} className={classes.image} />
        <Stack gap={6} className={classes.facts}>
          {code.name !== undefined && <Text fw={600}>{code.name}</Text>}
          <Group gap="xs">
            <Badge variant="default" tt="uppercase">
              {format}
            </Badge>
            <Text size="sm">{texts.look(size, fg, bg)}</Text>
          </Group>
          <Text size="sm" fw={500}>
            {texts.scans(scans)}
          </Text>
          <Anchor href={url} size="sm" target="_blank" rel="noreferrer" className={classes.address}>
            {url}
          </Anchor>
          <Hint size="xs">{texts.createdAt(formatDateTime(created_at))}</Hint>
          <QrCodeActions code={code} />
        </Stack>
      </Group>
    </Paper>
  );
}

function QrCodeActions({ code }: { code: QrCode }) {
  const { id, name = "", format, url, archived } = code;
  /** Null while the name is not being changed. */
  const [draft, setDraft] = useState<string | null>(null);
  const update = useUpdateQrCode(code, () => setDraft(null));
  const save = (event: FormEvent) => {
    event.preventDefault();
    update.mutate({ name: draft?.trim() || null });
  };
  if (draft !== null) {
    return (
      <form onSubmit={save}>
        <Group gap="xs">
          <TextInput
            aria-label={texts.nameOf(id)}
            size="xs"
            maxLength={QR_NAME_MAX_CHARS}
            value={draft}
            onChange={(event) => setDraft(event.currentTarget.value)}
            autoFocus
          />
          <Button type="submit" size="xs" loading={update.isPending}>
            {texts.saveName}
          </Button>
          <SmallButton onClick={() => setDraft(null)}>{texts.cancel}</SmallButton>
        </Group>
      </form>
    );
  }
  return (
    <Group gap="xs">
      <SmallButton component="a" {...downloadProps(url, `${id}.${format}`)} leftSection={icon("download", 16)}>
        {texts.download(format.toUpperCase())}
      </SmallButton>
      <SmallButton onClick={() => setDraft(name)}>{name === "" ? texts.addName : texts.rename}</SmallButton>
      <SmallButton loading={update.isPending} onClick={() => update.mutate({ archived: !archived })}>
        {archived ? texts.restore : texts.archive}
      </SmallButton>
    </Group>
  );
}
