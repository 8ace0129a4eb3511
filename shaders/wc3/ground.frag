// One layer of the ground: a sheet of 16 blend cells, its alpha is the blend.
#include "terrain_body.glsl"

MATERIAL uniform sampler2D ground_sheet;

void main() {
    shade(texture(ground_sheet, uv));
}
