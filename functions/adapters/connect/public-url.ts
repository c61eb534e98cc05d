/** The service's address as the operator set it, without a slash at the end; null to take it from each request. */
export function publicUrl(): string | null {
  return process.env.PUBLIC_URL?.replace(/\/+$/, '') || null;
}
