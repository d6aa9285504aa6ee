export function Logo() {
  return <img src="/dashboard/favicon.svg" alt="" width={28} height={28} />;
}
