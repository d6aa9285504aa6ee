/** Renders its children once the account is loaded. Without a session, query-client.ts redirects to sign-in. */
import type { ReactNode } from "react";

import { useAccount } from "../api/account.ts";
import { ApiError } from "../api/api-error.ts";
import { ErrorState, PageSkeleton } from "../components/states.tsx";
import { shellTexts } from "../texts/shell.ts";

export function RequireAccount({ children }: { children: ReactNode }) {
  const account = useAccount();
  if (account.data) return children;
  if (account.error instanceof ApiError && account.error.code === "account_suspended") {
    return <ErrorState title={shellTexts.suspended} error={account.error} />;
  }
  const isRedirecting = account.error instanceof ApiError && account.error.status === 401;
  return account.error && !isRedirecting ? (
    <ErrorState error={account.error} retry={() => void account.refetch()} />
  ) : (
    <PageSkeleton />
  );
}
