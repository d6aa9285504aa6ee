import { Page } from "../parts/page.tsx";

export default function SignUp() {
  return <Page title="Sign up">{null}</Page>;
}
