import { bitbucket } from './bitbucket/bitbucket.ts';
import type { HostDefinition } from './define-host.ts';
import { forgejo, gitea } from './gitea/gitea.ts';
import { github } from './github/github.ts';
import { gitlab } from './gitlab/gitlab.ts';

export const hosts: readonly HostDefinition[] = [github, gitlab, gitea, forgejo, bitbucket];
