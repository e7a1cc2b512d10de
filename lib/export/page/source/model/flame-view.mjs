/** @typedef {{ name: string, file: string | null, value: number, children: Node[] }} Node */

/** Whether a frame belongs to the application. @param {{ file: string | null }} node */
export function isOwn ({ file }) {
  return file !== null && !file.startsWith('node:') && !/[\\/]node_modules[\\/]/.test(file)
}

/** @param {Node} node @returns {boolean} */
const leadsToOwn = (node) => isOwn(node) || node.children.some(leadsToOwn)

/**
 * The tree with only the application's frames. Frames that lead to them are left out, so a chain of them is one chain,
 * whatever called it. Below them, the function that they called stays, without what it calls.
 * @param {Node} root @returns {Node}
 */
export function ownOnly (root) {
  return { ...root, children: merged(root.children.flatMap((child) => folded(child, root))) }
}

/** @param {Node} node @param {Node} parent @returns {Node[]} */
function folded (node, parent) {
  if (isOwn(node)) return [{ ...node, children: merged(node.children.flatMap((child) => folded(child, node))) }]
  if (!leadsToOwn(node)) return isOwn(parent) || parent.name === 'all' ? [{ ...node, children: [] }] : []
  return node.children.flatMap((child) => folded(child, node))
}

/** The tree with each function once below its caller, whichever of its lines ran. @param {Node} node @returns {Node} */
export function linesMerged (node) {
  const name = node.file === null ? node.name : node.name.replace(/^≈ |:\d+$/g, '')
  return { ...node, name, children: merged(node.children.map(linesMerged)) }
}

/** Merges nodes of the same name and file. @param {Node[]} nodes @returns {Node[]} */
function merged (nodes) {
  /** @type {Map<string, Node>} */
  const byName = new Map()
  for (const node of nodes) {
    const key = `${node.name}\n${node.file}`
    const same = byName.get(key)
    const children = same === undefined ? node.children : merged([...same.children, ...node.children])
    byName.set(key, { ...node, value: node.value + (same?.value ?? 0), children })
  }
  return [...byName.values()]
}

/**
 * The share of the time in functions that have the term in their name or file, 0 to 1.
 * @param {Node} root @param {string} term
 */
export function shareOf (root, term) {
  const text = term.toLowerCase()
  /** @type {(node: Node) => number} */
  const ms = (node) =>
    node !== root && isMatch(node, text) ? node.value : node.children.reduce((sum, child) => sum + ms(child), 0)
  return root.value === 0 || text === '' ? 0 : Math.min(1, ms(root) / root.value)
}

/** @param {Node} node @param {string} text in lower case */
export const isMatch = ({ name, file }, text) =>
  name.toLowerCase().includes(text) || (file ?? '').toLowerCase().includes(text)
