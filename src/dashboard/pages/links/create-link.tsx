/** Dialog that creates one link: the form, then the created link. */
import { Button, Group, NativeSelect, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ClipboardEvent, useEffect, useRef, useState } from "react";
import { Link as RouterLink } from "wouter";

import type { PagePreview } from "../../../core/contract/dashboard.ts";
import type { CreateLink as NewLink, Link } from "../../../core/contract/links.ts";
import type { RoutingRule } from "../../../core/links/routing.ts";
import { useAccount } from "../../api/account.ts";
import { ApiError } from "../../api/api-error.ts";
import { queryClient, unwrap, useApi } from "../../api/client.ts";
import { useActiveDomainNames } from "../../api/domains.ts";
import { useAbortableMutation, useIdempotencyKey } from "../../api/mutations.ts";
import { CopyTextButton, Hint, PlainButton, SmallButton } from "../../components/buttons.tsx";
import { Form, FormButtons, FormModal } from "../../components/form.tsx";
import { DestinationInput } from "../../components/inputs.tsx";
import { lazyPart } from "../../components/lazy-part.tsx";
import { Notice, Loaded } from "../../components/states.tsx";
import { useDraft, useDraftPlace } from "../../components/use-draft.ts";
import { formatIn } from "../../formatting/dates.ts";
import { readableHost, readableShortUrl, readableUrl } from "../../formatting/hosts.ts";
import { completeUrl } from "../../../core/links/typed-url.ts";
import { icon } from "../../icons.tsx";
import { memberTexts, linkPreviewTexts } from "../../texts/link-form.ts";
import { createLinkTexts as texts, linkListTexts } from "../../texts/links.ts";
import { buttonTexts } from "../../texts/shell.ts";
import { unwrapLink, uploadImage } from "../link/use-link.ts";
import { type RuleProblem, ruleProblemsOf, type RuleForm, toRoutingRule, toRuleForm } from "../link/rules/rule-form.ts";
import type { RuleListProps } from "../link/rules/rule-list.tsx";
import { newRuleId } from "../link/rules/use-rule-draft.ts";
import { AliasesSection, SlugInput } from "./address-fields.tsx";
import { FormSection, RedirectFields, ScheduleSection, TitleSection } from "./form-sections.tsx";
import { copiedLinkForm, LINK_FORM_RULES, linkErrors, type LinkForm, newLinkForm, toCreateLink } from "./link-form.ts";
import { pastedLinks } from "./pasted-links.ts";
import { QrPanel } from "./qr-popover.tsx";
import { PreviewFigure, SocialSection } from "./social-fields.tsx";
import { UtmSection } from "./utm-section.tsx";

interface CreateLinkProps {
  /** A pasted destination. */
  url: string;
  /** A link to duplicate. */
  copied?: Link | undefined;
  /** Without it, nothing else is offered. @param lines  several links that were pasted into the destination */
  onManyPasted?: ((lines: string[]) => void) | undefined;
  onClose: () => void;
}

export default function CreateLink({ url, copied, onManyPasted, onClose }: CreateLinkProps) {
  const { mode } = useApi();
  const [created, setCreated] = useState<Link>();
  return (
    <FormModal onClose={onClose} title={created ? texts.created : texts.title[mode]} size="lg">
      {created ? (
        <CreatedLink link={created} onAnother={() => setCreated(undefined)} onClose={onClose} />
      ) : (
        <CreateLinkForm url={url} copied={copied} onCreated={setCreated} onManyPasted={onManyPasted} />
      )}
    </FormModal>
  );
}

interface CreateLinkFormProps extends Omit<CreateLinkProps, "onClose"> {
  onCreated: (link: Link) => void;
}

const EMPTY_DRAFT = { ...newLinkForm(""), rules: [] as RoutingRule[], file: "" };

/** Form that creates one link. Rarely needed fields are collapsed below the slug. */
function CreateLinkForm({ url, copied, onCreated, onManyPasted }: CreateLinkFormProps) {
  const { api, mode } = useApi();
  const domains = useActiveDomainNames();
  const domainOptions = domains.map((domain) => ({ value: domain, label: readableHost(domain) }));
  const [pasted, setPasted] = useState<string[]>([]);
  const form = useForm({
    initialValues: copied ? copiedLinkForm(copied, domains) : newLinkForm(url),
    validate: LINK_FORM_RULES,
  });
  const isGiven = copied !== undefined || url !== "";
  const [rules, setRules] = useState<RuleForm[]>(
    () => copied?.routing.map((rule, i) => toRuleForm(`copy-${i}`, rule)) ?? [],
  );
  const [file, setFile] = useState<File | null>(null);
  const draft = useDraft({
    form: useDraftPlace("new-link", isGiven),
    initial: EMPTY_DRAFT,
    values: { ...form.values, rules: rules.map(toRoutingRule), file: file?.name ?? "" },
    restore: ({ rules: typed, file: name, ...members }) => {
      form.setValues(members);
      if (typed) setRules(typed.map((rule) => toRuleForm(newRuleId(), rule)));
      if (name === "") setFile(null);
    },
    secret: ["password", "file"],
    restores: !isGiven,
  });
  const [ruleProblems, setRuleProblems] = useState<readonly RuleProblem[]>([]);
  const { headersOf, forget } = useIdempotencyKey();
  const create = useAbortableMutation({
    mutationFn: async (json: NewLink, signal) => {
      const created = await unwrapLink(api.links.$post({ json }, { headers: headersOf(json), init: { signal } }));
      return file ? (await uploadImage(api, created, file, signal)).link : created.link;
    },
    onSuccess: (link) => {
      forget();
      draft.done();
      void queryClient.invalidateQueries({ queryKey: [mode, "links"] });
      onCreated(link);
    },
    onError: (error) => {
      if (!(error instanceof ApiError)) return;
      const ofRules = error.problems.filter(({ path }) => path.startsWith("routing"));
      const ids = rules.map(({ id }) => id);
      setRuleProblems(ruleProblemsOf(ofRules, ids));
      form.setErrors(linkErrors(error.problems.filter((problem) => !ofRules.includes(problem))));
    },
  });
  const submit = (values: LinkForm) => {
    setRuleProblems([]);
    const routing = rules.length === 0 ? {} : { routing: rules.map(toRoutingRule) };
    create.mutate({ ...toCreateLink(values), ...routing });
  };
  const onPaste = (event: ClipboardEvent) => {
    const lines = pastedLinks(event.clipboardData.getData("text/plain"));
    if (lines.length < 2 || !onManyPasted) return;
    event.preventDefault();
    setPasted(lines);
  };

  return (
    <Form form={form} onSubmit={submit} error={create.error} alsoShown="routing" draft={draft}>
      <DestinationInput
        label={memberTexts.url}
        placeholder="https://example.com/spring"
        required
        data-autofocus
        onPaste={onPaste}
        {...form.getInputProps("url")}
      />
      {pasted.length > 0 && (
        <Notice
          role="status"
          title={texts.manyPasted(pasted.length)}
          actions={<SmallButton onClick={() => onManyPasted?.(pasted)}>{texts.createMany(pasted.length)}</SmallButton>}
        />
      )}
      {domains.length > 1 && (
        <NativeSelect label={memberTexts.domain} data={domainOptions} {...form.getInputProps("domain")} />
      )}
      <SlugInput
        domain={form.values.domain === domains[0] ? "" : form.values.domain}
        value={form.values.slug}
        onChange={(slug) => form.setFieldValue("slug", slug)}
        error={form.errors.slug}
      />
      <AliasesSection form={form} domain={form.values.domain || (domains[0] ?? "")} />
      <UtmSection url={form.values.url} onChange={(changed) => form.setFieldValue("url", changed)} />
      <TitleSection form={form} />
      <ScheduleSection form={form} />
      <RulesSection
        rules={rules}
        setRules={setRules}
        problems={ruleProblems}
        setProblems={setRuleProblems}
        url={form.values.url}
      />
      <PreviewSection url={form.values.url} />
      <SocialSection form={form} file={file} onFile={setFile} />
      <RedirectFields form={form} />
      <FormButtons submit={texts.create} isPending={create.isPending} />
    </Form>
  );
}

/** Preview of the link on social networks, which read it from the destination. Fetched by the service on request. */

const STALE_MS = 300_000;

function PreviewSection({ url }: { url: string }) {
  const { api } = useApi();
  const destination = completeUrl(url);
  const [shownUrl, setShownUrl] = useState("");
  const isShown = shownUrl !== "" && shownUrl === destination;
  const preview = useQuery({
    queryKey: ["preview", shownUrl],
    queryFn: () => unwrap(api.previews.$post({ json: { url: shownUrl } })),
    enabled: isShown,
    staleTime: STALE_MS,
    retry: false,
  });
  const canShow = URL.canParse(destination);
  return (
    <FormSection title={linkPreviewTexts.title} summary="">
      <Hint>{canShow ? linkPreviewTexts.hint : linkPreviewTexts.needsUrl}</Hint>
      {!isShown && (
        <SmallButton disabled={!canShow} onClick={() => setShownUrl(destination)} w="fit-content">
          {linkPreviewTexts.show}
        </SmallButton>
      )}
      {isShown && (
        <Loaded query={preview} skeleton={<Skeleton height={120} aria-label={linkPreviewTexts.loading} />}>
          {(page) => <PreviewCard preview={page} url={destination} />}
        </Loaded>
      )}
    </FormSection>
  );
}

function PreviewCard({ preview, url }: { preview: PagePreview; url: string }) {
  const { fetched, title, description, site_name, image } = preview;
  const host = readableHost(new URL(url).hostname);
  if (title === null && description === null && image === null)
    return <Text size="sm">{fetched ? linkPreviewTexts.nothing : linkPreviewTexts.notFetched}</Text>;
  return (
    <PreviewFigure
      label={linkPreviewTexts.title}
      image={image === null ? null : `/dashboard/api/previews/image?${new URLSearchParams({ url: image })}`}
      host={site_name ?? host}
      title={title ?? host}
      description={description}
    />
  );
}

/** Rules of a new link, built before it is created. The editor is loaded when the section is used. */

const RuleList = lazyPart<RuleListProps>(
  () => import("../link/rules/rule-list.tsx").then((module) => ({ default: module.RuleList })),
  <Skeleton height={120} />,
);

interface RulesSectionProps extends Pick<RuleListProps, "rules" | "setRules" | "problems" | "setProblems"> {
  /** The new link's destination, as typed so far. */
  url: string;
}

function RulesSection({ url, ...list }: RulesSectionProps) {
  const { rules, problems } = list;
  const { data: account } = useAccount();
  const [isOpened, setOpened] = useState(false);
  const isUsed = isOpened || rules.length > 0;
  const isPremium = account?.plan === "premium";
  return (
    <FormSection
      title={texts.rules}
      summary={rules.length === 0 ? "" : texts.ruleCount(rules.length)}
      hasError={problems.length > 0}
    >
      <Hint>{isPremium ? texts.rulesHint : texts.rulesOnPremium}</Hint>
      {problems.map(
        ({ rule, text }) =>
          rule === null && (
            <Text key={text} size="sm" c="red" role="alert">
              {text}
            </Text>
          ),
      )}
      {isPremium && !isUsed && (
        <SmallButton w="fit-content" leftSection={icon("plus", 16)} onClick={() => setOpened(true)}>
          {texts.useRules}
        </SmallButton>
      )}
      {isUsed && <RuleList {...list} defaultUrl={url} />}
    </FormSection>
  );
}

interface CreatedLinkProps {
  link: Link;
  onAnother: () => void;
  onClose: () => void;
}

/** The created link, and the usual next steps. */
function CreatedLink({ link, onAnother, onClose }: CreatedLinkProps) {
  const { data: account } = useAccount();
  const [hasQrCode, { open: showQrCode }] = useDisclosure();
  const [isCopied, setCopied] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.select();
    // Some browsers refuse without a click. The button copies in any browser.
    navigator.clipboard?.writeText(link.short_url).then(
      () => setCopied(true),
      () => {},
    );
  }, [link.short_url]);
  return (
    <Stack>
      <TextInput
        ref={field}
        readOnly
        size="md"
        label={texts.address}
        description={<span role="status">{isCopied ? texts.copied : ""}</span>}
        inputWrapperOrder={["label", "input", "description"]}
        value={readableShortUrl(link)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          // The same key must not press the button that gets the focus back.
          event.preventDefault();
          onClose();
        }}
      />
      <Hint lineClamp={4} title={link.url} style={{ overflowWrap: "anywhere" }}>
        {linkListTexts.leadsTo(readableUrl(link.url))}
      </Hint>
      <NotOpenYet link={link} />
      <Group>
        <CopyTextButton value={link.short_url} label={texts.shortUrl} />
        <PlainButton component={RouterLink} to={`/links/${link.id}`}>
          {texts.open}
        </PlainButton>
        <PlainButton onClick={showQrCode} aria-expanded={hasQrCode}>
          {texts.qrCode}
        </PlainButton>
        {account?.plan === "premium" && (
          <PlainButton component={RouterLink} to={`/links/${link.id}?tab=rules`}>
            {texts.addRules}
          </PlainButton>
        )}
      </Group>
      {hasQrCode && <QrPanel link={link} />}
      <Group justify="flex-end">
        <Button variant="subtle" onClick={onAnother}>
          {texts.another}
        </Button>
        <Button variant="subtle" onClick={onClose}>
          {buttonTexts.done}
        </Button>
      </Group>
    </Stack>
  );
}

/** Without it, anyone who tries the link immediately would take the error page for a failure. */
function NotOpenYet({ link: { starts_at, fallback_url } }: { link: Link }) {
  if (starts_at === undefined || Date.parse(starts_at) <= Date.now()) return null;
  const time = formatIn("dateTimeToMinute", starts_at);
  return (
    <Text size="sm" lineClamp={3} style={{ overflowWrap: "anywhere" }}>
      {fallback_url === undefined ? texts.opens(time) : texts.opensWithFallback(time, fallback_url)}
    </Text>
  );
}
