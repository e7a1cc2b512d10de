import { byId } from './dom.mjs'
import { Flame } from './charts/flame.mjs'

// The script of reports that are files: draws the flame graph they carry.
const flame = new Flame('Flame graph')
byId('flame').replaceChildren(flame.element)
flame.draw(JSON.parse(byId('data').textContent))
