import * as v from 'valibot';
import type { HostedRepository } from '../../core/ports/repository-host.ts';
import { textOrNone } from './branch-tip.ts';

const link = v.nullish(v.object({ html: v.nullish(v.object({ href: v.string() })) }));

/** What a host says of a repository, whose fields have other names at each. */
export const hostedRepository = v.pipe(
  v.object({
    // GitHub, Gitea and Forgejo; the first one of GitLab, too.
    ...{ default_branch: textOrNone, private: v.nullish(v.boolean()), html_url: textOrNone },
    // GitLab, where `internal` is for everybody who has logged in.
    ...{ visibility: textOrNone, web_url: textOrNone },
    // Bitbucket.
    ...{ mainbranch: v.nullish(v.object({ name: v.string() })), is_private: v.nullish(v.boolean()), links: link },
  }),
  v.transform((said): HostedRepository => {
    const isHidden = said.visibility === 'private' || said.visibility === 'internal';
    return {
      defaultBranch: said.default_branch || said.mainbranch?.name || null,
      private: said.private ?? said.is_private ?? isHidden,
      url: said.html_url ?? said.web_url ?? said.links?.html?.href ?? null,
    };
  }),
);
