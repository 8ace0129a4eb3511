// The animated surface in the colours of its depth.
#include "surface.glsl"

MATERIAL uniform sampler2DArray water_sheet;

in vec3 world;
in vec2 uv;
in vec4 color;
in float view_depth;

out vec4 out_scene;

void main() {
    vec4 texel = texture(water_sheet, vec3(uv, float(params.water_frame)));
    vec4 shaded = texel * color * params.water_tint;
    out_scene = vec4(fog(shaded.rgb, view_depth), shaded.a);
}
