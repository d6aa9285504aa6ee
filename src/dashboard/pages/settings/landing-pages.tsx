/** Form for a domain's landing pages: where visitors go from its root path and from unknown slugs. */
import { Modal } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";

import type { Domain } from "../../../core/contract/domains.ts";
import { useAbortableMutation } from "../../api/mutations.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { domainsQuery } from "../../api/domains.ts";
import { DestinationInput } from "../../components/destination-input.tsx";
import { Form, FormButtons, showAtFields } from "../../components/form.tsx";
import { completeUrl } from "../../formatting/typed-url.ts";
import { readableHost } from "../../formatting/hosts.ts";
import { notifySuccess } from "../../notifications.ts";
import { buttonTexts } from "../../texts/shell.ts";
import { landingPageTexts as texts } from "../../texts/settings.ts";

export function LandingPagesForm({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const host = readableHost(domain.domain);
  const form = useForm({
    initialValues: { root_url: domain.root_url ?? "", not_found_url: domain.not_found_url ?? "" },
  });
  const save = useAbortableMutation({
    mutationFn: ({ root_url, not_found_url }: typeof form.values, signal) => {
      const json = { root_url: completeUrl(root_url) || null, not_found_url: completeUrl(not_found_url) || null };
      return unwrap(api.domains[":id"].$patch({ param: { id: domain.id }, json }, { init: { signal } }));
    },
    onSuccess: () => {
      notifySuccess(texts.saved);
      onClose();
      return queries.invalidateQueries(domainsQuery(mode));
    },
    onError: showAtFields(form),
  });
  return (
    <Modal opened onClose={onClose} title={texts.title(host)}>
      <Form form={form} onSubmit={save.mutate} error={save.error}>
        <DestinationInput
          label={texts.root}
          description={texts.rootHint(`https://${host}/`)}
          data-autofocus
          {...form.getInputProps("root_url")}
        />
        <DestinationInput
          label={texts.notFound}
          description={texts.notFoundHint}
          {...form.getInputProps("not_found_url")}
        />
        <FormButtons onCancel={onClose} submit={buttonTexts.save} isPending={save.isPending} />
      </Form>
    </Modal>
  );
}
