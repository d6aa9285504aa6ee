import { Page } from "../parts/page.tsx";

export default function SignIn() {
  return <Page title="Sign in">{null}</Page>;
}
