/** Sign-up with email and password, unless the operator has disabled it. */
import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "wouter";

import type { DashboardConfig } from "../../../core/contract/dashboard.ts";
import { configQuery } from "../../api/account.ts";
import { authClient, unwrapAuth } from "../../api/auth.ts";
import { ListSkeleton, Loaded } from "../../components/states.tsx";
import { authTexts, setupTexts, signUpTexts as texts } from "../../texts/auth.ts";
import { AuthLayout, SetupCommand } from "./auth-layout.tsx";
import { NewAccountForm } from "./new-account-form.tsx";
import { returnPath } from "../../signed-out-paths.ts";
import { AlternativeSignIn } from "./alternative-sign-in.tsx";

export default function SignUp() {
  const search = useSearch();
  return (
    <AuthLayout
      title={texts.title}
      footer={
        <>
          {texts.haveAccount}{" "}
          <Anchor component={Link} to={`/sign-in${search ? `?${search}` : ""}`} inherit>
            {authTexts.signIn}
          </Anchor>
        </>
      }
    >
      <Loaded query={useQuery(configQuery)} skeleton={<ListSkeleton rows={3} />}>
        {(config) => {
          if (config.signups === "open") return <SignUpForm config={config} next={returnPath(search)} />;
          return config.has_accounts ? (
            <Text>{authTexts.closedHint}</Text>
          ) : (
            <SetupCommand reason={setupTexts.noAccount} />
          );
        }}
      </Loaded>
    </AuthLayout>
  );
}

function SignUpForm({ config, next }: { config: DashboardConfig; next: string }) {
  return (
    <>
      <NewAccountForm
        create={(account) => unwrapAuth(authClient.signUp.email(account))}
        next={next}
        submit={texts.title}
      />
      <AlternativeSignIn config={config} returnTo={next} />
    </>
  );
}
