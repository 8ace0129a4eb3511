#include "terrain_body.glsl"

MATERIAL uniform sampler2D cliff_sheet;

void main() {
    shade(vec4(texture(cliff_sheet, uv).rgb, 1.0));
}
