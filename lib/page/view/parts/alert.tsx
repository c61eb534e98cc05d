/** Shows why something failed, announced to screen readers; nothing without a text. */
export function Alert({ text }: { text: string | null }) {
  if (!text) return null;
  return (
    <p class="alert bad tinted" role="alert">
      {text}
    </p>
  );
}
