import type { ComponentChildren } from 'preact';
import { hashOf } from '../../model/route.ts';
import { SERVICE } from '../../service/api.ts';
import { useWorkspace } from '../../service/workspace.ts';
import { Glyph } from './icons.tsx';

interface LinkProps {
  readonly to: Omit<Parameters<typeof hashOf>[0], 'user'>;
  readonly children: ComponentChildren;
  readonly class?: string;
}

/** A link to a view of the user. */
export function Link({ to, children, class: named }: LinkProps) {
  const { user } = useWorkspace().api;
  return (
    <a class={named} href={hashOf({ ...to, user })}>
      {children}
    </a>
  );
}

/** The link to the list that a view belongs to. */
export function Back({ to, children }: Omit<LinkProps, 'class'>) {
  return (
    <Link class="back flow muted" to={to}>
      <Glyph name="back" size={14} />
      {children}
    </Link>
  );
}

interface ExternalProps {
  readonly url: string | null;
  readonly children: ComponentChildren;
  readonly class?: string;
}

/** A link that leaves the page; what it would show, without an address. */
export function External({ url, children, class: named }: ExternalProps) {
  if (!url) return <>{children}</>;
  return (
    <a class={named} href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** The link to a running application; nothing without an address. */
export function Open({ url }: { url: string | null }) {
  if (!url) return null;
  return (
    <External class="button primary" url={url}>
      Open
      <Glyph name="open" size={14} />
    </External>
  );
}

/** The link to an application as an icon, for rows that link elsewhere. */
export function OpenIcon({ url, name }: { url: string | null; name: string }) {
  if (!url) return null;
  return (
    <External class="above button icon-only quiet" url={url}>
      <Glyph name="open" size={14} />
      <span class="visually-hidden">Open {name}</span>
    </External>
  );
}

/** A code of the error table, with its explanation. */
export function ErrorCode({ code }: { code: string }) {
  return (
    <External class="code" url={`${SERVICE}/errors#${code}`}>
      {code}
    </External>
  );
}
