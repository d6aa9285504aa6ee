/** Dialog that creates one link: the form, then what was made of it. */
import { Loader, Modal, NativeSelect, TextInput } from "@mantine/core";
import { type ClipboardEvent, type ReactNode, useState } from "react";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useDebouncedValue } from "@mantine/hooks";

import type { CreateLink as NewLink, Link } from "../../../core/contract/links.ts";
import { SLUG_MAX_CHARS } from "../../../core/limits.ts";
import { ApiError } from "../../api/api-error.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { useActiveDomainNames } from "../../api/domains.ts";
import { useAbortableMutation } from "../../api/mutations.ts";
import { DestinationInput } from "../../components/destination-input.tsx";
import { Form, FormButtons } from "../../components/form.tsx";
import { SmallButton } from "../../components/buttons.tsx";
import { Notice } from "../../components/states.tsx";
import { readableHost } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { slugTexts, memberTexts } from "../../texts/link-form.ts";
import { createLinkTexts as texts } from "../../texts/links.ts";
import { type RuleForm, toRoutingRule } from "../link/rules/rule-form.ts";
import { groupProblemsByRule, NO_RULE_PROBLEMS } from "../link/rules/rule-problems.ts";
import classes from "./create-link.module.css";
import { CreatedLink } from "./created-link.tsx";
import { linkErrors } from "./link-errors.ts";
import { LINK_FORM_RULES, type LinkForm, newLinkForm, toCreateLink } from "./link-form.ts";
import { pastedLinks } from "./pasted-links.ts";
import { PreviewSection } from "./preview-section.tsx";
import { RulesSection } from "./rules-section.tsx";
import { ForwardQuerySwitch } from "./schedule-fields.tsx";
import { ScheduleSection, TitleSection, UtmSection } from "./form-sections.tsx";

interface CreateLinkProps {
  /** A destination that was pasted. */
  url: string;
  /** @param lines  several links that were pasted into the destination */
  onManyPasted: (lines: string[]) => void;
  onClose: () => void;
}

export default function CreateLink({ url, onManyPasted, onClose }: CreateLinkProps) {
  const { mode } = useApi();
  const [created, setCreated] = useState<Link>();
  return (
    <Modal opened onClose={onClose} title={created ? texts.created : texts.title[mode]} size="lg">
      {created ? (
        <CreatedLink link={created} onAnother={() => setCreated(undefined)} onClose={onClose} />
      ) : (
        <CreateLinkForm url={url} onCreated={setCreated} onManyPasted={onManyPasted} onCancel={onClose} />
      )}
    </Modal>
  );
}

interface CreateLinkFormProps {
  url: string;
  onCreated: (link: Link) => void;
  onManyPasted: (lines: string[]) => void;
  onCancel: () => void;
}

/** Form that creates one link. What few people need folds away below the slug. */
function CreateLinkForm({ url, onCreated, onManyPasted, onCancel }: CreateLinkFormProps) {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const domains = useActiveDomainNames();
  const domainOptions = domains.map((domain) => ({ value: domain, label: readableHost(domain) }));
  const [pasted, setPasted] = useState<string[]>([]);
  const form = useForm({ initialValues: newLinkForm(url), validate: LINK_FORM_RULES });
  const [rules, setRules] = useState<RuleForm[]>([]);
  const [ruleProblems, setRuleProblems] = useState(NO_RULE_PROBLEMS);
  const create = useAbortableMutation({
    mutationFn: (json: NewLink, signal) => unwrap(api.links.$post({ json }, { init: { signal } })),
    onSuccess: (link) => {
      void queries.invalidateQueries({ queryKey: [mode, "links"] });
      onCreated(link);
    },
    onError: (error) => {
      if (!(error instanceof ApiError)) return;
      const ofRules = error.problems.filter(({ path }) => path.startsWith("routing"));
      const ids = rules.map(({ id }) => id);
      setRuleProblems(groupProblemsByRule(ofRules, ids));
      form.setErrors(linkErrors(error.problems.filter((problem) => !ofRules.includes(problem))));
    },
  });
  const submit = (values: LinkForm) => {
    setRuleProblems(NO_RULE_PROBLEMS);
    const routing = rules.length === 0 ? {} : { routing: rules.map(toRoutingRule) };
    create.mutate({ ...toCreateLink(values), ...routing });
  };
  const onPaste = (event: ClipboardEvent) => {
    const lines = pastedLinks(event.clipboardData.getData("text/plain"));
    if (lines.length < 2) return;
    event.preventDefault();
    setPasted(lines);
  };

  return (
    <Form form={form} onSubmit={submit} error={create.error}>
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
          actions={<SmallButton onClick={() => onManyPasted(pasted)}>{texts.createMany(pasted.length)}</SmallButton>}
        />
      )}
      {domains.length > 1 && (
        <NativeSelect label={memberTexts.domain} data={domainOptions} {...form.getInputProps("domain")} />
      )}
      <SlugInput
        isCheckable={form.values.domain === "" || form.values.domain === domains[0]}
        value={form.values.slug}
        onChange={(slug) => form.setFieldValue("slug", slug)}
        error={form.errors.slug}
      />
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
      <ForwardQuerySwitch {...form.getInputProps("forward_query", { type: "checkbox" })} />
      <FormButtons
        className={classes.buttons ?? ""}
        onCancel={onCancel}
        submit={texts.create}
        isPending={create.isPending}
      />
    </Form>
  );
}

const CHECK_DELAY_MS = 300;

interface SlugInputProps {
  /** The API looks up slugs on the service's own domain only. */
  isCheckable: boolean;
  value: string;
  onChange: (slug: string) => void;
  error?: ReactNode;
}

/** Input of a slug that looks up whether it is available, once typing pauses. */
function SlugInput({ isCheckable, value, onChange, error }: SlugInputProps) {
  const { api, mode } = useApi();
  const [slug] = useDebouncedValue(value, CHECK_DELAY_MS);
  const check = useQuery({
    queryKey: [mode, "slug", slug],
    queryFn: () => unwrap(api.slugs[":slug"].$get({ param: { slug: encodeURIComponent(slug) } })),
    enabled: isCheckable && slug !== "",
    retry: false,
    staleTime: 0,
  });
  const availability = isCheckable && value !== "" && slug === value ? check.data : undefined;
  const unavailable = availability && !availability.available ? slugTexts.unavailable(availability.reason) : null;
  return (
    <TextInput
      label={slugTexts.label}
      description={slugTexts.hint}
      placeholder="spring"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={SLUG_MAX_CHARS}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error ?? unavailable}
      rightSection={
        check.isFetching ? (
          <Loader size="xs" aria-label={slugTexts.checking} />
        ) : availability?.available ? (
          icon("check", 18, { color: "var(--mantine-color-green-7)", "aria-label": slugTexts.free })
        ) : null
      }
    />
  );
}
