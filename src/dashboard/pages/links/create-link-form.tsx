/** Form that creates one link. What few people need folds away below the slug. */
import { Alert, Button, Group, NativeSelect, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { type ClipboardEvent, useState } from "react";

import type { CreateLink as NewLink, Link } from "../../../core/contract/links.ts";
import { useAbortableMutation } from "../../api/mutations.ts";
import { ApiError } from "../../api/api-error.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { useActiveDomainNames } from "../../api/domains.ts";
import { DestinationInput } from "../../components/destination-input.tsx";
import { FormButtons, FormError } from "../../components/form.tsx";
import { readableHost } from "../../formatting/hosts.ts";
import { createLinkTexts as texts } from "../../texts/links.ts";
import classes from "./create-link.module.css";
import { linkErrors } from "./link-errors.ts";
import { LINK_FORM_RULES, newLinkForm, toCreateLink } from "./link-form.ts";
import { pastedLinks } from "./pasted-links.ts";
import { PreviewSection } from "./preview-section.tsx";
import { ForwardQuerySwitch } from "./schedule-fields.tsx";
import { type RuleForm, toRoutingRule } from "../link/rules/rule-form.ts";
import { groupProblemsByRule, NO_RULE_PROBLEMS } from "../link/rules/rule-problems.ts";
import { RulesSection } from "./rules-section.tsx";
import { ScheduleSection } from "./schedule-section.tsx";
import { SlugInput } from "./slug-input.tsx";
import { TitleSection } from "./title-section.tsx";
import { UtmSection } from "./utm-section.tsx";

interface CreateLinkFormProps {
  url: string;
  onCreated: (link: Link) => void;
  onManyPasted: (lines: string[]) => void;
  onCancel: () => void;
}

export function CreateLinkForm({ url, onCreated, onManyPasted, onCancel }: CreateLinkFormProps) {
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
  const submit = form.onSubmit((values) => {
    setRuleProblems(NO_RULE_PROBLEMS);
    const routing = rules.length === 0 ? {} : { routing: rules.map(toRoutingRule) };
    create.mutate({ ...toCreateLink(values), ...routing });
  });
  const onPaste = (event: ClipboardEvent) => {
    const lines = pastedLinks(event.clipboardData.getData("text/plain"));
    if (lines.length < 2) return;
    event.preventDefault();
    setPasted(lines);
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={create.error} />
        <DestinationInput
          label={texts.destination}
          placeholder="https://example.com/spring"
          required
          data-autofocus
          onPaste={onPaste}
          {...form.getInputProps("url")}
        />
        {pasted.length > 0 && <ManyPasted lines={pasted} onCreateMany={() => onManyPasted(pasted)} />}
        {domains.length > 1 && (
          <NativeSelect label={texts.domain} data={domainOptions} {...form.getInputProps("domain")} />
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
          cancel={texts.cancel}
          onCancel={onCancel}
          submit={texts.create}
          isPending={create.isPending}
        />
      </Stack>
    </form>
  );
}

function ManyPasted({ lines, onCreateMany }: { lines: readonly string[]; onCreateMany: () => void }) {
  return (
    <Alert variant="light" role="status" title={texts.manyPasted(lines.length)}>
      <Group>
        <Button size="xs" variant="default" onClick={onCreateMany}>
          {texts.createMany(lines.length)}
        </Button>
      </Group>
    </Alert>
  );
}
