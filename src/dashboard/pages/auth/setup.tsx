/**
 * Creates the first account of a deployment, using the one-time token in the URL that the setup printed, or the token
 * that the deployer has chosen (`FIRST_ACCOUNT_TOKEN`).
 */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, useSyncExternalStore } from "react";

import { type ApiError, hasCode } from "../../api/api-error.ts";
import { apiClients, unwrap } from "../../api/client.ts";
import { ListSkeleton, Loaded } from "../../components/states.tsx";
import { authErrorTexts, setupTexts as texts } from "../../texts/auth.ts";
import { AuthLayout, SetupCommand, SignInNext } from "./auth-layout.tsx";
import { type NewAccount, NewAccountForm } from "./sign-up.tsx";

export default function Setup() {
  const token = useFragmentToken();
  return (
    <AuthLayout title={texts.title}>
      {token === null ? <SetupCommand reason={texts.noToken} /> : <SetupWithToken key={token} token={token} />}
    </AuthLayout>
  );
}

function SetupWithToken({ token }: { token: string }) {
  const check = useQuery({
    queryKey: ["setup-token", token],
    queryFn: async () => {
      await unwrap(apiClients.live.setup.check.$post({ json: { token } }));
      return true;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [lateError, setLateError] = useState<unknown>(null);
  const create = (account: NewAccount) =>
    unwrap(apiClients.live.setup.$post({ json: { token, ...account } })).catch((error: unknown) => {
      setLateError(error);
      throw error;
    });
  const error = lateError ?? check.error;
  if (hasCode(error, "invalid_setup_token")) return <SetupCommand reason={texts.refused} />;
  if (hasCode(error, "already_set_up")) return <SignInNext>{texts.alreadySetUp}</SignInNext>;
  return (
    <Loaded query={check} skeleton={<ListSkeleton rows={3} />}>
      {() => (
        <NewAccountForm create={create} next="/" submit={texts.submit} errorsOf={fieldErrorsOf}>
          <Text size="sm">{texts.about}</Text>
        </NewAccountForm>
      )}
    </Loaded>
  );
}

/** The password was validated before sending. For an email address, the server's message is more precise. */
function fieldErrorsOf(error: ApiError): Record<string, string> {
  const errors = error.fieldErrors();
  return errors["email"] === undefined ? errors : { ...errors, email: authErrorTexts.invalidEmail };
}

/**
 * The token in the page's address. It is removed from the address bar immediately, so that it appears in no screenshot
 * or shared address, and kept only in this page's memory.
 */
let taken: string | null = null;
takeToken();

/** The token; null if the page was opened without one, or reloaded. */
export function useFragmentToken(): string | null {
  return useSyncExternalStore(subscribe, () => taken);
}

/** Opening another address in the same tab changes only the fragment, so the page does not reload. */
function subscribe(notify: () => void): () => void {
  const onChange = () => {
    takeToken();
    notify();
  };
  window.addEventListener("hashchange", onChange);
  return () => window.removeEventListener("hashchange", onChange);
}

function takeToken(): void {
  // A chosen token may contain a plus sign, which would be read as a space.
  const token = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B")).get("token");
  if (token === null) return;
  taken = token;
  history.replaceState(history.state, "", location.pathname + location.search);
}
