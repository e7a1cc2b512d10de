import { causes } from '../../../tables/causes.js'

const NAME = 'causes.css'

/** @param {'light' | 'dark'} scheme */
const variables = (scheme) =>
  `:root { ${Object.entries(causes).map(([name, { color }]) => `--cause-${name}: ${color[scheme]};`).join(' ')} }`

const chips = Object.keys(causes).map((name) => `.cause-${name} { background: var(--cause-${name}); }`)

/** The style of each cause, from the table of causes. @type {import('esbuild').Plugin} */
export const causeColors = {
  name: NAME,
  setup (build) {
    build.onResolve({ filter: /^causes\.css$/ }, () => ({ path: NAME, namespace: NAME }))
    build.onLoad({ filter: /./, namespace: NAME }, () => ({
      contents: [variables('light'), `@media (prefers-color-scheme: dark) { ${variables('dark')} }`, ...chips].join('\n'),
      loader: 'css'
    }))
  }
}
